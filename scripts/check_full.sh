#!/usr/bin/env bash
# The long versions of the tests, in release. `cargo test` runs samples of them in about a minute.
#
#   scripts/check_full.sh [STAGE...]      all stages in order, or only those named
#
# Stages: perft       every count of tests/data/perft, without limit
#         reference   the fast generator against the slow one: half of the positions over all readings, half over made-up rulesets
#         start       the start position's perft 5 in the two main readings, against the perft files
#         speed       the start position's perft 4 of cazaux-musser on one thread: less than a second
#         malformed   malformed FENs, rulesets, moves, command lines, weights and suites
#         guard       the start-up check of the processor holds no instruction that an older one lacks (needs objdump)
#         fuzz        lines of rubbish to each protocol: inside one process whose memory must stay flat, and in short conversations
#         flips       a byte of a dataset changed at random: found each time, and every other block repaired
#         clock       games of the engine against itself by the clock (10 ms a move, and 0.2 s + 0.002 s a move): no time loss
#         selfplay    a run that is killed KILLS times at random moments and then ends in the bytes of a run left alone
#         portable    the published answers with a build for any x86-64 processor, in target/portable
#
# Numbers may be changed in the environment: ACEDREX_PERFT (most nodes of a count, 1000000000), ACEDREX_REFERENCE
# (positions, 100000), ACEDREX_MALFORMED (inputs, 100000), ACEDREX_FUZZ (lines to each protocol, 100000), ACEDREX_FLIPS
# (bytes, 10000), GAMES (of each part of the clock stage, 1000), KILLS (of the selfplay stage, 50), THREADS (of the start,
# clock and selfplay stages; all processors).
# Each stage prints its result lines and its seconds; the first that fails ends the run with status 1.
set -euo pipefail
cd "$(dirname "$0")/.."

export ACEDREX_PERFT=${ACEDREX_PERFT:-1000000000}
export ACEDREX_REFERENCE=${ACEDREX_REFERENCE:-100000}
export ACEDREX_MALFORMED=${ACEDREX_MALFORMED:-100000}
export ACEDREX_FUZZ=${ACEDREX_FUZZ:-100000}
export ACEDREX_FLIPS=${ACEDREX_FLIPS:-10000}
target=${CARGO_TARGET_DIR:-target}
threads=${THREADS:-$(nproc 2>/dev/null || echo 2)}

# Runs the tests whose names contain a word, in release or in the named profile, of the package tests or of the named
# targets; at least one must. Prints the line of each, what it measured, and the result.
tests() {
    local out
    # shellcheck disable=SC2086
    if ! out=$(cargo test --profile "${2:-release}" ${3:--p tests --test all} "$1" -- --nocapture 2>&1); then
        echo "$out"
        return 1
    fi
    grep -E '^test .* \.\.\. |^test result|KiB|flips' <<<"$out"
    grep -qE '^test result: ok\. [1-9]' <<<"$out" || { echo "no test is named like $1" >&2; return 1; }
}

acedrex() { "$target/release/acedrex" "$@"; }

# The count of the start position in a perft file.
expected() { awk -v depth="$2" '$1 == "epd" { n++ } n == 1 && $1 == "perft" && $2 == depth { print $3 }' "tests/data/perft/$1.perft"; }

perft() { tests every_perft; }

reference() { tests fast_and_slow_generators_agree; }

start() {
    local id wanted out
    for id in cazaux-musser murray; do
        wanted=$(expected "$id" 5)
        [ -n "$wanted" ] || { echo "no perft 5 of the start in $id.perft" >&2; return 1; }
        out=$(acedrex perft 5 --ruleset "$id" --threads "$threads")
        echo "$id perft 5: ${out//$'\n'/, }; expected $wanted"
        [ "${out##*$'\n'}" = "nodes $wanted" ] || return 1
    done
}

speed() {
    local out
    out=$(acedrex perft 4 --ruleset cazaux-musser)
    echo "cazaux-musser perft 4: ${out//$'\n'/, }"
    [ "${out##*$'\n'}" = "nodes 12200519" ] || return 1
    awk '/ M nodes\/s in /{ if ($5 >= 1.0) { print "not in under a second" > "/dev/stderr"; exit 1 } }' <<<"$out"
}

malformed() { tests malformed; }

# The functions that run before and in the check, and what VEX or BMI instructions they hold: there should be none.
guard() {
    command -v objdump >/dev/null || { echo "no objdump here: not checked"; return 0; }
    objdump -d --no-show-raw-insn "$target/release/acedrex" | awk '
        /^[0-9a-f]+ <.*>:$/ { inside = /acedrex4main|cpu9check_cpu/; seen += inside; name = $2 }
        inside && $2 ~ /^(v|shlx|shrx|sarx|andn|bextr|bls|bzhi|lzcnt|tzcnt|popcnt|movbe|rorx|pdep|pext|mulx)/ {
            print name, $2; bad = 1
        }
        END { print seen " functions read"; exit bad || seen < 2 }'
}

fuzz() {
    tests rubbish release "-p acedrex-engine --test protocol"
    tests survives_any_line release "-p acedrex-engine --lib"
}

flips() { tests flipped_bytes release "-p acedrex-trainer --lib"; }

clock() {
    local limit json
    json=$(mktemp -d)
    for limit in "--movetime 10" "--tc 0.2+0.002"; do
        # shellcheck disable=SC2086
        "$target/release/acedrex-trainer" match --engine internal:hash=4 --engine internal:hash=4 $limit \
            --games "${GAMES:-1000}" --concurrency "$threads" --json "$json/match.json" | grep -E '^(games|result|ended|faults)'
        # Of both engines, as the arbiter counts them.
        if [ "$(grep -c '"time_losses": 0' "$json/match.json")" != 2 ]; then
            echo "a game was lost on time" >&2
            return 1
        fi
    done
    rm -r "$json"
}

selfplay() {
    local folder pid killed=0 whole=0 before=0 now wanted=${KILLS:-50}
    local run=(selfplay --ruleset murray --games 1000 --nodes 100 --seed 11 --threads "$threads")
    folder=$(mktemp -d)
    "$target/release/acedrex-trainer" "${run[@]}" --out "$folder/whole.acd" 2>/dev/null | grep -E '^(games|nodes)'
    RANDOM=11
    while [ "$killed" -lt "$wanted" ]; do
        "$target/release/acedrex-trainer" "${run[@]}" --out "$folder/games.acd" >/dev/null 2>&1 &
        pid=$!
        sleep "$(printf '0.%03d' $((RANDOM % 1000)))"
        kill -9 "$pid" 2>/dev/null || true
        # The shell would say of each that it was killed.
        if { wait "$pid"; } 2>/dev/null; then
            # It had come to its end: the kills that are left hit another run.
            cmp "$folder/games.acd" "$folder/whole.acd"
            rm "$folder/games.acd"
            whole=$((whole + 1)) before=0
            continue
        fi
        killed=$((killed + 1))
        # What was kept stays.
        now=$(wc -l 2>/dev/null <"$folder/.games.acd.games" || echo 0)
        [ "$now" -ge "$before" ] || { echo "$before lines were kept, now $now" >&2; return 1; }
        before=$now
    done
    "$target/release/acedrex-trainer" "${run[@]}" --out "$folder/games.acd" >/dev/null 2>&1
    cmp "$folder/games.acd" "$folder/whole.acd"
    [ "$(find "$folder" -type f | wc -l)" = 2 ] || { echo "more is left than the datasets" >&2; return 1; }
    echo "killed $killed times, $((whole + 1)) runs came to their end, all in the same bytes"
    rm -r "$folder"
}

# In the dev profile and with samples: the code is the same, only the instructions differ.
portable() {
    export RUSTFLAGS="-C target-cpu=x86-64" CARGO_TARGET_DIR="$target/portable" ACEDREX_PERFT=400000
    tests answers dev
}

stages=(perft reference start speed malformed guard fuzz flips clock selfplay portable)
[ $# -eq 0 ] || stages=("$@")
for name in "${stages[@]}"; do
    case $name in
        perft | reference | start | speed | malformed | guard | fuzz | flips | clock | selfplay | portable) ;;
        *) echo "no stage $name: see the head of $0" >&2; exit 2 ;;
    esac
done

began=$SECONDS
echo "== build: cargo build --release"
cargo build --release --quiet
cargo test --release --quiet -p tests --no-run
echo "== build: $((SECONDS - began)) s"
for name in "${stages[@]}"; do
    started=$SECONDS
    echo "== $name"
    # In a shell of its own with -e, so that any failing line fails the stage.
    set +e
    (set -e; "$name")
    status=$?
    set -e
    if [ $status -ne 0 ]; then
        echo "== $name: failed after $((SECONDS - started)) s" >&2
        exit 1
    fi
    echo "== $name: $((SECONDS - started)) s"
done
echo "== all passed: $((SECONDS - began)) s"
