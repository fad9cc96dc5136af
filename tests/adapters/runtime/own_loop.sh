#!/usr/bin/env bash
# Two processes with loops of their own (docs/examples/own_loop.cc): one leads, and when it is asked to stop the other
# does.
#
#   own_loop.sh OWN_LOOP
set -euo pipefail
own_loop=$(realpath "$1")
work=$(mktemp -d)
pids=()
trap 'kill -KILL "${pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"

await() {
  for ((i = 0; i < 600; i++)); do
    if grep -qs "$2" "$1"; then return; fi
    sleep 0.05
  done
  echo "FAILED: no \"$2\" in $1" && exit 1
}
"$own_loop" store.db 1 >out.1 &
pids+=($!)
await out.1 "^believes .* epoch 1$"
"$own_loop" store.db 2 >out.2 &
pids+=($!)
kill -TERM "${pids[0]}"
wait "${pids[0]}"
await out.1 "^has stopped$"
await out.2 "^believes .* epoch 2$"
kill -INT "${pids[1]}"
wait "${pids[1]}"
echo "OK"
