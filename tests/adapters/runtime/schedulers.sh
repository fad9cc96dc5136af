#!/usr/bin/env bash
# Two processes that fire what is due (docs/examples/scheduler.cc). The leader is asked to stop, and the other goes on
# with the next slot. What they wrote down is held against the simulator's checkers.
#
#   schedulers.sh SCHEDULER TENURE [STORE]
set -euo pipefail
scheduler=$(realpath "$1")
tenure=$(realpath "$2")
store=${3:-store.db}
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/in_a_folder.sh"
# Until one that runs has fired `count` times: prints who.
await() {
  local id
  for ((i = 0; i < 600; i++)); do
    for id in "${!pid[@]}"; do
      if [[ $(wc -l <"out.$id") -ge $1 ]]; then
        echo "$id"
        return
      fi
    done
    sleep 0.05
  done
  fail "nobody fires"
}
stop() {
  kill -TERM "${pid[$1]}"
  wait "${pid[$1]}" || fail "asked to stop, $1 ended with $?"
  unset "pid[$1]"
}

# Two whose ids were taken for 0 would be one node.
for id in 0 node-a 1x "" 4294967296; do
  status=0
  timeout 5 "$scheduler" "$store" "$id" 2>err || status=$?
  [[ $status == 64 ]] && grep -q "is no id of a node: a number from 1 on is" err || fail "the id '$id' is taken"
done
for id in 1 2; do
  "$scheduler" "$store" "$id" "journal.$id" >"out.$id" &
  pid[$id]=$!
done
first=$(await 3)
stop "$first"
second=$(await 3)
stop "$second"

# Every slot of the schedule was fired once: they are 250 ms apart.
sort -n out.* | awk 'NR > 1 && $1 - last != 250 { exit 1 } { last = $1 }' || fail "slots are missing, or fired twice"
"$tenure" audit journal.* || fail "the journals do not pass"
"$tenure" audit journal.* --format json | python3 -c '
import json, sys
for check in json.load(sys.stdin)["checks"]:
    about_sending = check["name"] in ("retry-after-honored", "dead-or-delivered")  # and nothing is sent
    if check["violations"] > 0 or check["examined"] == 0 and not about_sending:
        sys.exit("FAILED: " + str(check))'
echo "OK"
