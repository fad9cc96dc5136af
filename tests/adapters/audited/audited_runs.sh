#!/usr/bin/env bash
# Honest journals are not called a failure, and forged ones never pass. Three schedulers (audited.cc) are on one store,
# while clients edit, delete and trigger, and processes are killed, stopped, made to stand still, and started again.
# Journals are in small files. A run that nothing disturbs must pass; a disturbed one is then forged (forge.py).
#
#   audited_runs.sh AUDITED TENURE [RUNS] [SECONDS] [SEED]     runs of several at a time, each in a folder of its own
#
# With ENGINE=postgres each run has a database of its own on the server of the environment (with_postgres.sh), which now
# and then ends all connections to it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
audited=$(realpath "$1")
tenure=$(realpath "$2")
runs=${3:-2}
seconds=${4:-25}
seed=${5:-1}
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../runtime/in_a_folder.sh"

engine=${ENGINE:-sqlite}
store() { # RUN
  if [[ $engine == postgres ]]; then echo "dbname=audited_$1"; else echo "$1/store.db"; fi
}
start() { # RUN ID
  "$audited" "$(store "$1")" "$2" "$1/journal.$2" 2>>"$1/stderr" &
  pid[$1.$2]=$!
}
gone() { # RUN ID: it has been told to go, or was killed
  { wait "${pid[$1.$2]}" || true; } 2>/dev/null
  unset "pid[$1.$2]"
}
begin() { # RUN
  local id
  [[ $engine == sqlite ]] || createdb "audited_$1"
  for id in 1 2 3; do start "$1" "$id"; done
  "$audited" "$(store "$1")" client "$1" 2>>"$1/stderr" &
  pid[$1.client]=$!
}
finish() { # RUN
  local id
  kill -KILL "${pid[$1.client]}"
  gone "$1" client
  sleep 3
  for id in 1 2 3; do kill -TERM "${pid[$1.$id]}" && gone "$1" "$id"; done
}
end_connections() { # RUN
  psql -qAtc "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = 'audited_$1'" >>"$1/ended"
}
quiet() { # RUN
  begin "$1"
  sleep "$seconds"
  finish "$1"
}
disturbed() { # RUN
  local run=$1 id end=$((SECONDS + seconds))
  begin "$run"
  while ((SECONDS < end)); do
    sleep "$((1 + RANDOM % 3))"
    id=$((1 + RANDOM % 3))
    case $((RANDOM % 4)) in
      0) kill -KILL "${pid[$run.$id]}" && gone "$run" "$id" && start "$run" "$id" ;;
      1) kill -TERM "${pid[$run.$id]}" && gone "$run" "$id" && start "$run" "$id" ;;
      2) kill -STOP "${pid[$run.$id]}" && sleep "$((1 + RANDOM % 5))" && kill -CONT "${pid[$run.$id]}" ;;
      3) [[ $engine == sqlite ]] || end_connections "$run" ;;
    esac
  done
  finish "$run"
}
in_background() { # HOW RUN
  mkdir "$2"
  (pid=(); RANDOM=$2; trap 'kill -KILL "${pid[@]}" 2>/dev/null || true' EXIT; "$1" "$2") &
  pid[$2]=$!
}

in_background quiet 0
for ((run = seed; run < seed + runs; ++run)); do in_background disturbed "$run"; done
all=(0 $(seq "$seed" $((seed + runs - 1))))
for run in "${all[@]}"; do
  wait "${pid[$run]}" || fail "run $run"
  unset "pid[$run]"
done
worst=0
for run in "${all[@]}"; do
  status=0
  "$tenure" audit "$run"/journal.* >"$run/found" || status=$?
  echo "run $run: $(head -n 1 "$run/found")"
  grep -E "^  (lacking|left out    no-lost-fire|not judged  no-lost-fire)" "$run/found" || true
  most=2
  [[ $run != 0 ]] || most=0
  [[ $status == 0 || $status == "$most" ]] || { cat "$run/found"; worst=1; }
  grep -q "no-lost-fire (" "$run/found" || { cat "$run/found"; echo "no-lost-fire looked at nothing"; worst=1; }
done
python3 "$here/forge.py" "$tenure" "$seed" || worst=1
[[ -z ${KEEP:-} ]] || cp -r . "$KEEP"
[[ $worst == 0 ]] || fail "an honest journal is called a failure, nothing was looked at, or a forgery is not seen"
echo "OK"
