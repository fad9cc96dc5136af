#!/usr/bin/env bash
# Three processes on one store (docs/examples/leader.cc). The leader is killed; the next stands still for longer than
# its lease, and goes on; the third is asked to stop. Each time another takes over, with a greater epoch. What they
# wrote down is held against the simulator's checkers; tests/lab/audit has such journals with mistakes in them.
#
#   processes.sh LEADER TENURE [STORE]
set -euo pipefail
leader=$(realpath "$1")
tenure=$(realpath "$2")
store=${3:-store.db}
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/in_a_folder.sh"
# Until one that runs leads `epoch`: prints who.
await() {
  local epoch=$1 id
  for ((i = 0; i < 600; i++)); do
    for id in "${!pid[@]}"; do
      if grep -qsx "leads epoch $epoch" "out.$id"; then
        echo "$id"
        return
      fi
    done
    sleep 0.05
  done
  fail "nobody leads epoch $epoch"
}
await_line() {
  for ((i = 0; i < 600; i++)); do
    if grep -qsx "$2" "$1"; then return; fi
    sleep 0.05
  done
  fail "no \"$2\" in $1"
}

for id in 1 2 3; do
  "$leader" "$store" "$id" "journal.$id" >"out.$id" &
  pid[$id]=$!
done

first=$(await 1)
kill -KILL "${pid[$first]}"
{ wait "${pid[$first]}" || true; } 2>/dev/null
unset "pid[$first]"

second=$(await 2)
kill -STOP "${pid[$second]}"
third=$(await 3)
kill -CONT "${pid[$second]}"
await_line "out.$second" "stops epoch 2"

kill -TERM "${pid[$third]}"
wait "${pid[$third]}" || fail "asked to stop, $third ended with $?"
unset "pid[$third]"
grep -qx "stops epoch 3" "out.$third" || fail "$third did not stop its work"

[[ $(await 4) == "$second" ]] || fail "$second does not lead again"
kill -INT "${pid[$second]}"
wait "${pid[$second]}" || fail "interrupted, $second ended with $?"
unset "pid[$second]"

"$tenure" audit journal.*
"$tenure" audit journal.* --format json >real.json
python3 - <<'PY'
import json, sys

real = {check["name"]: check for check in json.load(open("real.json"))["checks"]}
for name in ("one-holder-per-epoch", "epochs-increase", "fenced-writes", "acts-within-belief", "one-believer",
             "one-worker"):
    if real[name]["examined"] == 0:
        sys.exit(f"FAILED: {name} examined nothing")
# The second stood still with its work: nobody promises that this cannot overlap with the next leader's.
if real["one-worker"]["violations"] == 0 or real["one-worker"]["promised"]:
    sys.exit("FAILED: one-worker did not see that the second stood still")
PY
echo "OK"
