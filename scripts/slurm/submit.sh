#!/usr/bin/env bash
# Self-play on a Slurm cluster: an array job with a task for each shard, and a job after it that merges and validates.
#
#   scripts/slurm/submit.sh SHARDS OUT [OPTIONS OF SELFPLAY...]
#
# OUT is the merged dataset, in a folder that all nodes see; the options are those of `acedrex-trainer selfplay` besides
# --out, --shard, --shards and --threads, with one --ruleset. Options of sbatch for both jobs go into SBATCH_OPTIONS (such as
# "--partition=long --time=12:00:00"), threads of a task into CPUS (1), the program into TRAINER
# (target/release/acedrex-trainer).
#
# Tasks whose node is lost or that are preempted are queued again by Slurm. After any other failure give the same command
# again: finished shards are complete already, and the others go on with the games they have.
set -euo pipefail

refuse() { echo "$0: $*" >&2; exit 2; }
if [ $# -lt 2 ]; then
    echo "usage: $0 SHARDS OUT [OPTIONS OF SELFPLAY...] (see the head of $0)" >&2
    exit 2
fi
shards=$1 out=$2 cpus=${CPUS:-1}
shift 2
[[ $shards =~ ^[1-9][0-9]{0,5}$ ]] || refuse "found SHARDS '$shards', expected a whole number, 1 to 999999"
[[ -n $out && $out != */ ]] || refuse "found OUT '$out', expected a file, the merged dataset"
[[ $cpus =~ ^[1-9][0-9]{0,3}$ && $cpus -le 1024 ]] || refuse "found CPUS '$cpus', expected a whole number, 1 to 1024"
here=$(cd "$(dirname "$0")" && pwd)
TRAINER=$(realpath -m "${TRAINER:-target/release/acedrex-trainer}")
[ -x "$TRAINER" ] || { echo "no program $TRAINER: cargo build --release, or set TRAINER" >&2; exit 1; }
export TRAINER
# What every task would refuse is refused here, before any waits in the queue for it.
ruleset=()
for ((i = 1; i <= $#; i++)); do
    option=${!i}
    case $option in
        --ruleset | --ruleset=*)
            [ ${#ruleset[@]} = 0 ] || refuse "found --ruleset twice, expected it once: the shards are merged into one dataset"
            if [ "$option" = --ruleset ]; then
                [ "$i" -lt $# ] || refuse "found --ruleset at the end, expected an id or the path of a ruleset file after it"
                i=$((i + 1))
                option=--ruleset=${!i}
            fi
            ruleset=("$option") ;;
        --threads | --threads=*) refuse "found $option, expected the threads of a task in CPUS" ;;
        --out | --out=*) refuse "found $option, expected the merged dataset as the second argument" ;;
        --shard | --shard=* | --shards | --shards=*) refuse "found $option, expected the number of shards as the first argument" ;;
    esac
done
mkdir -p "$(dirname "$out")"
"$TRAINER" selfplay "$@" --shard "0/$shards" --out "$out" --threads "$cpus" --dry-run >/dev/null || exit 2
read -ra options <<<"${SBATCH_OPTIONS:-}"
common=(--parsable --requeue --open-mode=append --export=ALL "${options[@]}")

array=$(sbatch "${common[@]}" --job-name=acedrex-selfplay --array="0-$((shards - 1))" --cpus-per-task="$cpus" \
    --output="$out.%a.log" "$here/shard.sh" "$shards" "$out" "$@")
merge=$(sbatch "${common[@]}" --job-name=acedrex-merge --dependency="afterok:$array" --kill-on-invalid-dep=yes \
    --output="$out.merge.log" "$here/merge.sh" "$shards" "$out" "${ruleset[@]}")
echo "submitted $array (selfplay) and $merge (merge)"
