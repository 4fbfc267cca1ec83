#!/usr/bin/env bash
# Self-play on a Slurm cluster: an array job with a task for each shard, and a job after it that merges and validates.
#
#   scripts/slurm/submit.sh SHARDS OUT [OPTIONS OF SELFPLAY...]
#
# OUT is the merged dataset, in a folder that all nodes see; the options are those of `acedrex-trainer selfplay` besides
# --out and --shards, with one --ruleset. Options of sbatch for both jobs go into SBATCH_OPTIONS (such as "--partition=long
# --time=12:00:00"), threads of a task into CPUS (1), the program into TRAINER (target/release/acedrex-trainer).
#
# Tasks whose node is lost or that are preempted are queued again by Slurm. After any other failure give the same command
# again: finished shards are complete already, and the others go on with the games they have.
set -euo pipefail

if [ $# -lt 2 ] || ! [[ $1 =~ ^[1-9][0-9]*$ ]]; then
    echo "usage: $0 SHARDS OUT [OPTIONS OF SELFPLAY...]" >&2
    exit 2
fi
shards=$1 out=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
TRAINER=$(realpath "${TRAINER:-target/release/acedrex-trainer}")
[ -x "$TRAINER" ] || { echo "no program $TRAINER: cargo build --release, or set TRAINER" >&2; exit 1; }
export TRAINER
ruleset=()
for ((i = 1; i <= $#; i++)); do
    [ "${!i}" != --ruleset ] || { next=$((i + 1)); ruleset=(--ruleset "${!next}"); }
done
mkdir -p "$(dirname "$out")"
read -ra options <<<"${SBATCH_OPTIONS:-}"
common=(--parsable --requeue --open-mode=append --export=ALL "${options[@]}")

array=$(sbatch "${common[@]}" --job-name=acedrex-selfplay --array="0-$((shards - 1))" --cpus-per-task="${CPUS:-1}" \
    --output="$out.%a.log" "$here/shard.sh" "$shards" "$out" "$@")
merge=$(sbatch "${common[@]}" --job-name=acedrex-merge --dependency="afterok:$array" --kill-on-invalid-dep=yes \
    --output="$out.merge.log" "$here/merge.sh" "$shards" "$out" "${ruleset[@]}")
echo "submitted $array (selfplay) and $merge (merge)"
