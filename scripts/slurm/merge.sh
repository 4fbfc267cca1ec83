#!/usr/bin/env bash
# The job after the array that submit.sh submits: merges the shards, and validates what comes of it.
#
#   scripts/slurm/merge.sh SHARDS OUT [--ruleset R]
set -euo pipefail
shards=$1 out=$2
shift 2
name=${out##*/}
extension=
[[ $name != ?*.* ]] || extension=.${name##*.}
files=()
for ((i = 0; i < shards; i++)); do
    files+=("${out%"$extension"}-$i-of-$shards$extension")
done
"$TRAINER" dataset merge "${files[@]}" --out "$out"
"$TRAINER" dataset validate "$out" "$@"
