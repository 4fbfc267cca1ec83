#!/usr/bin/env bash
# Tunes the eval weights that ship for a ruleset: self-play with the weights of now, Texel's method from the same weights,
# and a match of the new weights against those of now. The new ones are put into data/weights only if they win it.
#
#   scripts/tune_weights.sh RULESET...
#
# A round takes hours: two processors play about 5,000 games of 1,000 nodes a move in one, and the match may take as long.
# GAMES (5000), NODES (a move of self-play, 1000) and SEED (1) may be set in the environment; the files stay in
# data/runs/weights. Run it again for another round, with another SEED. Games of few nodes mislead: weights tuned on 150 nodes
# a move were not stronger than those they started from. Studies start from mobility whatever ships, so a reading may be tuned alone.
set -euo pipefail
cd "$(dirname "$0")/.."
games=${GAMES:-5000} nodes=${NODES:-1000} seed=${SEED:-1} out=data/runs/weights
case ${1:-} in
    "" | -*) sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
cargo build --release --quiet
trainer=target/release/acedrex-trainer
for ruleset in "$@"; do
    name=$out/$ruleset-$games-$nodes-$seed
    echo "== $ruleset"
    [ -e "$name.acd" ] || $trainer selfplay --ruleset "$ruleset" --games "$games" --nodes "$nodes" --seed "$seed" --out "$name.acd"
    $trainer tune "$name.acd" --all --seed "$seed" --out "$name.toml" --csv "$name.csv"
    $trainer match --ruleset "$ruleset" --nodes 5000 --games 3000 --sprt 0 20 --seed "$seed" \
        --engine "internal:weights=$name.toml" --engine internal --json "$name.json"
    if grep -q '"verdict": "h1"' "$name.json"; then
        cp "$name.toml" "data/weights/$ruleset.toml"
        echo "$ruleset: stronger, now in data/weights"
    else
        echo "$ruleset: not shown to be stronger, left as it was"
    fi
done
