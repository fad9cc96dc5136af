#!/usr/bin/env bash
# Three processes on one file (docs/examples/leader.cc): the leader is killed, the next is asked to stop, and each time
# another takes over, with a greater epoch. At no time do two of them believe, says what they wrote down.
#
#   processes.sh LEADER
set -euo pipefail
leader=$(realpath "$1")
work=$(mktemp -d)
declare -A pid
trap 'kill -KILL "${pid[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "FAILED: $*"
  tail -n 5 out.* journal.* || true
  exit 1
}
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

for id in 1 2 3; do
  "$leader" store.db "$id" "journal.$id" >"out.$id" &
  pid[$id]=$!
done

first=$(await 1)
kill -KILL "${pid[$first]}"
wait "${pid[$first]}" 2>/dev/null || true
unset "pid[$first]"

second=$(await 2)
kill -TERM "${pid[$second]}"
wait "${pid[$second]}" || fail "asked to stop, $second ended with $?"
unset "pid[$second]"
grep -qx "stops epoch 2" "out.$second" || fail "$second did not stop its work"

third=$(await 3)
kill -INT "${pid[$third]}"
wait "${pid[$third]}" || fail "interrupted, $third ended with $?"
unset "pid[$third]"

python3 - "$work" <<'PY'
import glob, json, sys

lines = [json.loads(line) for name in glob.glob(sys.argv[1] + "/journal.*") for line in open(name)]
lines.sort(key=lambda line: line["mono"])
believer, until, holders = None, 0, {}
for line in lines:
    who = (line["node"], line["life"])
    if line["event"] == "believes":
        if believer not in (None, who) and line["mono"] < until:
            sys.exit(f"FAILED: {who} believes while {believer} still does: {line}")
        if holders.setdefault(line["epoch"], who) != who:
            sys.exit(f"FAILED: epoch {line['epoch']} has two holders")
        believer, until = who, line["until_mono"]
    elif line["event"] in ("steps-down", "died") and believer == who:
        believer = None
if sorted(holders) != [1, 2, 3]:
    sys.exit(f"FAILED: epochs {sorted(holders)}")
PY
echo "OK"
