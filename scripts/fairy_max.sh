#!/usr/bin/env bash
# Plays Fairy-Max at its own game: reading cazaux-musser against fairymax and reading shamax against shamax, ours with 20 ms
# a move, theirs with depth 4 (about ten times the processor time; both are printed). Then compares legal moves.
#
#   scripts/fairy_max.sh [GAMES [POSITIONS [FOLDER [LIMIT [DEPTH]]]]]      50 games and 2000 positions of each, into
#                                                                          data/runs/fairy_max
#
# LIMIT is ours instead of movetime=20, such as nodes=5000 where the machine has other work and time means little; DEPTH is
# theirs instead of 4.
# Fails if we do what we must not (lose on time, play an illegal move, crash, hang, claim what is not so), if Fairy-Max plays
# what is illegal to us, or if the two have different legal moves anywhere. Leaves PGN and JSON. An interrupted match
# goes on with the same command. Needs the Debian package fairymax, python3 and target/release (cargo build --release).
set -euo pipefail
cd "$(dirname "$0")/.."
games=${1:-50} positions=${2:-2000} out=${3:-data/runs/fairy_max} limit=${4:-movetime=20} depth=${5:-4}
for needed in /usr/games/fairymax /usr/games/shamax; do
    [ -x $needed ] || { echo "$needed is missing: apt-get install fairymax" >&2; exit 1; }
done
for pair in cazaux-musser:fairymax shamax:shamax; do
    ruleset=${pair%:*} theirs=/usr/games/${pair#*:}
    echo "== $ruleset against $theirs"
    target/release/acedrex-trainer match --ruleset "$ruleset" --games "$games" --concurrency 1 \
        --engine "uci,$limit,option.Hash=16,option.MoveOverhead=1:target/release/acedrex uci" --engine "cecp,depth=$depth:$theirs" \
        --pgn "$out/$ruleset.pgn" --json "$out/$ruleset.json"
    python3 - "$out/$ruleset.json" <<'PYTHON'
import json, sys
ours, theirs = json.load(open(sys.argv[1]))["engines"]
faults = ["time_losses", "illegal_moves", "crashes", "hangs", "wrong_claims"]
bad = [f"ours: {ours[name]} {name}" for name in faults if ours[name]]
bad += [f"theirs: {theirs[name]} {name}" for name in ["illegal_moves", "crashes"] if theirs[name]]
sys.exit("; ".join(bad) if bad else 0)
PYTHON
    scripts/fairy_max_moves.py "$out/$ruleset.pgn" --positions "$positions" --fairy-max "$theirs"
done
