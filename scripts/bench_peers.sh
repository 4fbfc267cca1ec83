#!/usr/bin/env bash
# Speed and strength against other programs and against an earlier state of this one, both sides in one run.
#
#   scripts/bench_peers.sh [STAGE...]      all stages in order, or only those named
#
# Stages: perft             move generation against shakmaty's on 8 x 8, and one process with two threads against two
#         start             time and memory to start and to load a ruleset
#         previous          a match against PREVIOUS at equal time
#         fairy-max         ours with 20 ms a move against depth 5, and with 100 ms against depth 6
#         fairy-stockfish   shatranj and courier at 20,000 nodes a move
#         nodes             twice the nodes against once
#         threads           two threads against one, at equal time on the clock, then at equal processor time
#         instructions      instructions a node of `acedrex bench`, now and at PREVIOUS
#
# PGO=1 measures the build of scripts/build_pgo.sh instead of the ordinary one, of this version alone.
# PREVIOUS is a commit (the one before the search was rebuilt, be0fc43). PAIRS is the pairs of each match (100; 30 for the slow
# half of fairy-max), CONCURRENCY the games played side by side (1; in `threads` always 1). Matches go on where they were
# interrupted, and leave JSON and PGN in data/runs/peers. Time means something only on a machine without other work; MARGIN
# is the milliseconds that a move may be late (20): more on a machine that halts, where the processor time printed tells what
# was used. Installs Fairy-Max (Debian) and Fairy-Stockfish (npm, into target/peers).
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PATH:/usr/games DEBIAN_FRONTEND=noninteractive
previous=${PREVIOUS:-be0fc43} pairs=${PAIRS:-100} margin=${MARGIN:-20} side_by_side=${CONCURRENCY:-1}
out=data/runs/peers peers=$PWD/target/peers
mkdir -p "$out" "$peers"

debian() { command -v "$1" >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$2" >/dev/null; }; }

# The engine of the earlier commit, built once.
earlier() {
    local folder=$peers/$previous
    if [ ! -x "$folder/acedrex" ]; then
        rm -rf "$folder.tree"
        git worktree prune
        git worktree add --quiet --detach "$folder.tree" "$previous"
        (cd "$folder.tree" && CARGO_TARGET_DIR=$peers/build cargo build --release --quiet -p acedrex-engine)
        mkdir -p "$folder"
        cp "$peers/build/release/acedrex" "$folder/"
        git worktree remove --force "$folder.tree"
    fi
    echo "$folder/acedrex"
}

# match NAME PAIRS ARGUMENTS...: its result, with both sides' processor time.
match() {
    local name=$1 pairs=$2
    shift 2
    echo "-- $name: $*"
    $release/acedrex-trainer match "$@" --games $((2 * pairs)) --concurrency "$side_by_side" --time-margin "$margin" \
        --json "$out/$name.json" --pgn "$out/$name.pgn" 2>&1 |
        grep -E '^(CPU|result|score|elo|nelo|los|pentanomial|ended|faults|error)|resumes'
}

perft() { cargo bench --quiet -p acedrex-engine --bench peers; }

start() {
    debian /usr/bin/time time
    local each
    for each in "show" "show --ruleset data/rulesets/murray.toml" "bench"; do
        # shellcheck disable=SC2086
        /usr/bin/time -f "acedrex $each: %e s, %M KiB" $release/acedrex $each >/dev/null
    done
}

previous() { match previous "$pairs" --engine "uci:$release/acedrex uci --hash 16" --engine "uci:$(earlier) uci --hash 16" --movetime 20; }

fairy-max() {
    debian fairymax fairymax
    match fairy-max-5 "$pairs" --engine internal:movetime=20 --engine cecp,depth=5:/usr/games/fairymax
    match fairy-max-6 $(((pairs * 3 + 9) / 10)) --engine internal:movetime=100 --engine cecp,depth=6:/usr/games/fairymax
}

fairy-stockfish() {
    debian node nodejs
    debian npm npm
    local module=$peers/node_modules/fairy-stockfish-nnue.wasm ruleset
    [ -e "$module/uci.js" ] || npm install --silent --prefix "$peers" fairy-stockfish-nnue.wasm >/dev/null
    for ruleset in shatranj courier; do
        match "fairy-stockfish-$ruleset" "$pairs" --ruleset $ruleset --nodes 20000 --engine internal \
            --engine "uci,option.Use NNUE=false:node --no-experimental-fetch $module/uci.js"
    done
}

nodes() { match nodes "$pairs" --engine internal:nodes=20000 --engine internal:nodes=10000; }

threads() {
    local two="uci,option.Threads=2" side_by_side=1
    match threads "$pairs" --engine "$two:$release/acedrex uci" --engine "uci:$release/acedrex uci" --movetime 20 --sprt 0 30
    match threads-cpu "$pairs" --engine "$two,movetime=10:$release/acedrex uci" --engine "uci,movetime=20:$release/acedrex uci"
}

# What the start itself takes is left out by a run that only shows the ruleset.
instructions() {
    debian valgrind valgrind
    local program count base nodes
    for program in $release/acedrex "$(earlier)"; do
        count=$(counted "$program" bench) base=$(counted "$program" show)
        nodes=$("$program" bench | grep -oE '[0-9]+ nodes' | grep -oE '[0-9]+')
        echo "$program: $(((count - base) / nodes)) instructions a node, $nodes nodes"
    done
}

counted() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | grep -oE 'Collected : [0-9]+' | grep -oE '[0-9]+'; }

stages=(perft start previous fairy-max fairy-stockfish nodes threads instructions)
[ $# -eq 0 ] || stages=("$@")
for name in "${stages[@]}"; do
    case $name in
        perft | start | previous | fairy-max | fairy-stockfish | nodes | threads | instructions) ;;
        *) echo "no stage $name: see the head of $0" >&2; exit 2 ;;
    esac
done
release=target/release
if [ -n "${PGO:-}" ]; then
    release=target/pgo/release
    scripts/build_pgo.sh
else
    cargo build --release --quiet
fi
for name in "${stages[@]}"; do
    echo "== $name"
    "$name"
done
