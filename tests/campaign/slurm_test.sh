#!/bin/bash
# A campaign on a real Slurm of one node: 16 tasks, of which some are killed and requeued, and the report of one machine.
#
# usage: slurm_test.sh TENURE SOURCES
set -u
tenure=$(realpath "$1") sources=$(realpath "$2")
for program in munged slurmctld slurmd sbatch; do
  PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "no $program: ./dev setup installs slurm-wlm and munge"; exit 77; }
done
PATH=$(dirname "$tenure"):$PATH:/usr/sbin
folder=$(mktemp -d)
host=$(hostname -s)
started=()
trap 'kill "${started[@]}" 2>/dev/null; wait; rm -rf "$folder"' EXIT
cd "$folder" && mkdir state spool || exit 1

dd if=/dev/urandom of=key bs=64 count=1 2>dd.log && chmod 400 key && chmod 755 .
munged --foreground --force --key-file="$folder/key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
  --log-file="$folder/munged.log" --seed-file="$folder/seed" 2>munged.out &
started+=($!)
read -r controller_port node_port < <(python3 -c '
import socket
ports = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(each.getsockname()[1] for each in ports))')
cat >slurm.conf <<CONFIGURATION
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$controller_port
SlurmdPort=$node_port
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
RequeueExit=137
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONFIGURATION
export SLURM_CONF=$folder/slurm.conf
slurmctld -D -i >slurmctld.out 2>&1 &
started+=($!)
slurmd -D >slurmd.out 2>&1 &
started+=($!)
for _ in $(seq 200); do
  sinfo -h -o %T 2>/dev/null | grep -q idle && break
  sleep 0.2
done

cp "$sources/tests/cli/scenarios/pass.toml" "$sources/docs/examples/campaign/tenure.sbatch" .
seeds=1..48000
tenure run pass.toml --seeds $seeds --junit one.xml >one.txt || exit 1
sbatch --parsable --array=1-16 --output="$folder/task-%a" tenure.sbatch run pass.toml --seeds $seeds --campaign results >job || exit 1
job=$(cat job)
killed=0
for _ in $(seq 1200); do
  for task in 2 5 11; do
    # Each once, when its first runs are saved.
    [ -e "killed-$task" ] || ! [ -e "results/run-$task-of-16.part" ] && continue
    touch "killed-$task"
    scancel --full --signal=KILL "${job}_$task" && killed=$((killed + 1))
    sleep 1
    scontrol requeue "${job}_$task" 2>>requeue.log
  done
  # Slurm lets what was requeued wait for two minutes.
  for task in $(squeue -h -t PENDING -j "$job" -o %A 2>/dev/null); do
    scontrol update JobId="$task" StartTime=now 2>>requeue.log
  done
  squeue -h -j "$job" 2>/dev/null | grep -q . || break
  sleep 0.3
done
tenure merge results --junit merged.xml >merged.txt
code=$?
if [ $code = 0 ] && [ $killed = 3 ] && cmp one.txt merged.txt && cmp one.xml merged.xml; then
  echo "16 tasks, $killed killed: the report of one machine"
  exit 0
fi
echo "code $code, $killed killed"
tail -n 20 merged.txt task-* slurmctld.log slurmd.log requeue.log
exit 1
