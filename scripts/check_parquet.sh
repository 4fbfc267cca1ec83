#!/usr/bin/env bash
# Exports games as CSV and as Parquet, and reads both with pandas and polars: the same tables, with the right types.
#
#   scripts/check_parquet.sh FOLDER       the folder keeps the Python packages
#
# Needs python3 with venv, the network the first time, and a release build of the trainer.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
trainer=${CARGO_TARGET_DIR:-target}/release/acedrex-trainer

if [ ! -x "$folder/venv/bin/python" ]; then
    python3 -m venv "$folder/venv"
fi
"$folder/venv/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1

for dice in "" --dice; do
    rm -f "$folder/games.acd"
    # shellcheck disable=SC2086
    "$trainer" selfplay --ruleset murray --games 100 --nodes 5 --max-plies 60 --seed 3 $dice --out "$folder/games.acd" >/dev/null
    "$trainer" dataset export "$folder/games.acd" --out "$folder/games.csv"
    "$trainer" dataset export "$folder/games.acd" --out "$folder/games.parquet"
    "$folder/venv/bin/python" - "$folder/games.csv" "$folder/games.parquet" <<'EOF'
import sys

import pandas
import polars

csv, parquet = sys.argv[1:]
flags = ["in_check", "capture", "opening"]

table = pandas.read_parquet(parquet)
other = pandas.read_csv(csv)
assert list(table.columns) == list(other.columns) and len(table) == len(other) > 1000, (table.shape, other.shape)
assert table["game"].dtype == "uint64" and table["in_check"].dtype == "bool", table.dtypes
for name in table.columns:
    mine, theirs = table[name], other[name]
    if name in flags:
        theirs = theirs == 1
    assert mine.isna().equals(theirs.isna()), name
    there = mine.notna()
    assert (mine[there] == theirs[there]).all(), name

table = polars.read_parquet(parquet)
assert table.schema["game"] == polars.UInt64 and table.schema["score_white_cp"] == polars.Int16, table.schema
other = polars.read_csv(csv, schema_overrides={**table.schema, **{name: polars.Int8 for name in flags}})
other = other.with_columns(polars.col(flags).cast(polars.Boolean))
assert table.equals(other)
print(f"pandas {pandas.__version__} and polars {polars.__version__}: {len(table)} rows as in the CSV")
EOF
done
