#!/usr/bin/env bash
# A task of the array that submit.sh submits: plays the shard that SLURM_ARRAY_TASK_ID names.
#
#   scripts/slurm/shard.sh SHARDS OUT [OPTIONS OF SELFPLAY...]
set -euo pipefail
shards=$1 out=$2
shift 2
exec "$TRAINER" selfplay --shards "$shards" --out "$out" --threads "${SLURM_CPUS_PER_TASK:-1}" "$@"
