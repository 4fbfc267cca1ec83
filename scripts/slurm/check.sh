#!/usr/bin/env bash
# Self-play on a Slurm cluster of this machine alone: munged, slurmctld and slurmd on loopback, with all their files in a
# folder that is removed. A task of the array is killed in the middle, the same command given again, and the merged dataset
# must be that of one process, byte for byte. Needs root, and Debian's packages slurm-wlm and munge; about a minute.
#
#   scripts/slurm/check.sh
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() { echo "slurm check: $*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || fail "expected root: the daemons start as it"
for program in munged slurmctld slurmd sbatch; do
    command -v "$program" >/dev/null || fail "no $program: apt-get install slurm-wlm munge"
done
[ -x target/release/acedrex-trainer ] || fail "no target/release/acedrex-trainer: cargo build --release"

work=$(mktemp -d)
chmod 755 "$work"
pids=()
finish() {
    local status=$?
    trap - EXIT
    if [ $status -ne 0 ]; then
        tail -n 15 "$work"/log/* "$work"/tree/data/runs/*.log 2>/dev/null >&2 || true
    fi
    # Also what jobs run: they are children of slurmd's steps, which end with their jobs.
    SLURM_CONF=$work/slurm.conf timeout 5 scancel -u root --signal=KILL --full >/dev/null 2>&1 || true
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do
        for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
        kill -9 "$pid" 2>/dev/null || true
    done
    rm -rf "$work"
    exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# Waits until a command succeeds: wait_for SECONDS WHAT COMMAND...
wait_for() {
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || fail "waited in vain for $what"
        sleep 0.1
    done
}

# Two ports that are free now.
read -r ctld_port slurmd_port < <(python3 -c '
import socket
sockets = [socket.socket() for _ in range(2)]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))')
host=$(hostname -s)
mkdir -p "$work"/{munge,state,spool,log,run,tree}
dd if=/dev/urandom of="$work/munge/key" bs=1 count=1024 status=none
chmod 700 "$work/munge"
chmod 600 "$work/munge/key"
cat >"$work/slurm.conf" <<CONF
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$ctld_port
SlurmdPort=$slurmd_port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/run/munge.socket,cred_expire=5
CryptoType=crypto/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/run/slurmctld.pid
SlurmdPidFile=$work/run/slurmd.pid
SlurmctldLogFile=$work/log/slurmctld
SlurmdLogFile=$work/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=1
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
CONF
export SLURM_CONF=$work/slurm.conf

munged --foreground --key-file="$work/munge/key" --socket="$work/run/munge.socket" --pid-file="$work/run/munged.pid" \
    --seed-file="$work/munge/seed" --log-file="$work/log/munged" >"$work/log/munged.out" 2>&1 &
pids+=($!)
wait_for 10 "munged's socket" test -S "$work/run/munge.socket"
slurmctld -D >"$work/log/slurmctld.out" 2>&1 &
pids=($! "${pids[@]}")
wait_for 15 "slurmctld" scontrol ping
slurmd -D >"$work/log/slurmd.out" 2>&1 &
pids=($! "${pids[@]}")
idle() { [ "$(sinfo -h -o %T)" = idle ]; }
wait_for 15 "an idle node" idle
echo "slurm check: cluster up after $SECONDS s"

# In a folder that looks like this one, so that the command is the README's.
ln -s "$PWD/scripts" "$PWD/target" "$work/tree/"
cd "$work/tree"
submit() {
    scripts/slurm/submit.sh 4 data/runs/murray.acd --ruleset murray --games 16 --nodes 3000 --seed 7
}
over() { [ -z "$(squeue -h -r -u root)" ]; }
state() { scontrol -o show job "$1" | grep -o 'JobState=[A-Z_]*'; }
spool=data/runs/.murray-1-of-4.acd.games
begun() { [ "$(wc -l <"$spool")" -ge 2 ]; }

said=$(submit)
array=$(awk '{ print $2 }' <<<"$said")
wait_for 60 "games of task 1" begun
job=$(squeue -h -j "${array}_1" -o %A)
scontrol listpids | awk -v job="$job" '$2 == job { print $1 }' | xargs -r kill -9
wait_for 120 "the end of the array" over
[ "$(state "${array}_1")" = JobState=FAILED ] || fail "task 1 was to be killed: $(state "${array}_1")"
[ ! -e data/runs/murray.acd ] || fail "merged without a shard"
kept=$(($(wc -l <"$spool") - 1))
[ -s "$spool" ] && [ ! -e data/runs/murray-1-of-4.acd ] || fail "task 1 was to be killed in the middle"
echo "slurm check: $said; task 1 killed after $kept games, the array over after $SECONDS s"

said=$(submit)
merge=$(awk '{ print $5 }' <<<"$said")
wait_for 120 "the end of the second array" over
[ "$(state "$merge")" = JobState=COMPLETED ] || fail "the merge job: $(state "$merge")"
[ "$(grep -l 'is complete already' data/runs/murray.acd.[0-3].log | wc -l)" = 3 ] || fail "finished shards were played again"
tail -n 1 data/runs/murray.acd.merge.log
echo "slurm check: $said; merged after $SECONDS s"

target/release/acedrex-trainer selfplay --ruleset murray --games 16 --nodes 3000 --seed 7 \
    --out data/runs/whole.acd >/dev/null 2>&1
cmp data/runs/murray.acd data/runs/whole.acd
echo "slurm check: the merged dataset is that of one process; $SECONDS s"
