#!/usr/bin/env bash
# Three processes on one store (docs/examples/leader.cc). The leader is killed; the next stands still for longer than
# its lease, and goes on; the third is asked to stop. Each time another takes over, with a greater epoch. What they
# wrote down is held against the simulator's checkers, as it is and with mistakes in it.
#
#   processes.sh LEADER TENURE [STORE]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
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

# audit NAME EXIT: what the checkers find in the journals of that folder, as JSON.
audit() {
  local status=0
  "$tenure" audit "$1"/journal.* --format json >"$1.json" || status=$?
  [[ $status == "$2" ]] || { "$tenure" audit "$1"/journal.* || true; fail "$1: audit ended with $status"; }
}
mkdir real
cp journal.* real
audit real 0
"$tenure" audit real/journal.*

# The same, with mistakes that a node, a store or a clock could have made.
plant() {
  mkdir "$1"
  python3 - "$1" "$2" <<'PY'
import glob, json, sys

folder, change = sys.argv[1:]
for name in sorted(glob.glob("real/journal.*")):
    lines = [json.loads(line) for line in open(name) if line.endswith("\n")]
    out = []
    for line in lines:
        again = False
        exec(change)
        out += [line, line] if again else [line]
    with open(name.replace("real", folder), "w") as file:
        for line in out:
            file.write(json.dumps(line) + "\n")
PY
  python3 "$here/rechain.py" "$1"/journal.*
}
plant long_belief 'if line["event"] == "believes": line["until_mono"] += 5_000_000_000'
plant same_epoch 'if line.get("epoch") == 2: line["epoch"] = 1'
plant epoch_goes_back 'if line.get("epoch") == 3: line["epoch"] = 1; line["nonce"] = "7"'
for mistake in long_belief same_epoch epoch_goes_back; do audit "$mistake" 1; done

python3 - <<'PY'
import json, sys

def checks(name):
    return {check["name"]: check for check in json.load(open(name + ".json"))["checks"]}

real = checks("real")
for name in ("one-holder-per-epoch", "epochs-increase", "fenced-writes", "acts-within-belief", "one-believer",
             "one-worker"):
    if real[name]["examined"] == 0:
        sys.exit(f"FAILED: {name} examined nothing")
# The second stood still with its work: nobody promises that this cannot overlap with the next leader's.
if real["one-worker"]["violations"] == 0 or real["one-worker"]["promised"]:
    sys.exit("FAILED: one-worker did not see that the second stood still")
for mistake, checker in (("long_belief", "one-believer"), ("same_epoch", "one-holder-per-epoch"),
                         ("epoch_goes_back", "epochs-increase")):
    if checks(mistake)[checker]["violations"] == 0:
        sys.exit(f"FAILED: {checker} does not see {mistake}")
PY
echo "OK"
