#!/usr/bin/env bash
# No process of a program outlives us: not when we are killed in the middle of a step, on whatever thread, nor when the
# run ends by itself.
#   orphans.sh TENURE SOURCE
set -euo pipefail
tenure=$1 source=$2
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"

# Programs that never answer their second line: one of pipes and JSON, and one of each shim, whose lives are copies.
cat >raw.py <<'TEXT'
import sys, time
for line in sys.stdin:
    if "describe" in line:
        print('{"tenure": 1, "name": "raw"}', flush=True)
    else:
        open("started", "a").write("x")
        while True:
            time.sleep(1)
TEXT
cat >copied.py <<'TEXT'
name = "copied"
async def node(t):
    open("started", "a").write("x")
    while True:
        pass
TEXT
printf 'module x\ngo 1.19\nrequire tenure v0.0.0\nreplace tenure => %s\n' "$source/adapters/process/shims/go/tenure" >go.mod
cat >endless.go <<'TEXT'
package main

import (
	"os"
	"tenure"
)

func main() { tenure.Main(tenure.Design{Name: "endless-in-go", Node: node}) }
func node(t *tenure.T) error {
	_ = os.WriteFile("started", []byte("x"), 0o600)
	for {
	}
}
TEXT
cat >well.py <<'TEXT'
name = "well"
async def node(t):
    t.believe(open=True) if t.number == 1 else None
TEXT
scenario() {  # NAME COMMAND
  printf 'format = 1\nname = "%s"\n[sim]\nduration = "1m"\n[cluster]\nnode = { command = [%s] }\n' "$1" "$2" >"$1.toml"
}
scenario raw "\"python3\", \"$folder/raw.py\""
scenario copied "\"python3\", \"$source/adapters/process/shims/python/tenure\", \"$folder/copied.py\""
scenario endless "\"sh\", \"$source/adapters/process/shims/go/tenure/run.sh\", \"endless.go\""
scenario well "\"python3\", \"$source/adapters/process/shims/python/tenure\", \"$folder/well.py\""

# Processes whose command names a program of ours.
left() { grep -laF -e "$folder/raw.py" -e "$folder/copied.py" -e "$folder/well.py" \
  -e /endless.go- -e endless-in-go /proc/[0-9]*/cmdline 2>/dev/null || true; }
# Waits until "$@" succeeds.
until_true() {
  for _ in $(seq 1200); do
    if "$@"; then return 0; fi
    sleep 0.05
  done
  return 1
}
none_left() { [[ -z $(left) ]]; }
started() { [[ -s started ]]; }
fail() { printf 'orphans: %s\n' "$*" >&2; exit 1; }

"$tenure" check endless.toml >/dev/null  # it is compiled, which may take a while
for how in "run raw.toml" "run copied.toml" "hunt raw.toml -j2" "run copied.toml --seeds 1..8 -j2" "run endless.toml"; do
  rm -f started
  # shellcheck disable=SC2086  # words
  "$tenure" $how >/dev/null 2>&1 &
  ours=$!
  until_true started || fail "$how: nothing was started"
  [[ -n $(left) ]] || fail "$how: there is nothing to leave behind, so this shows nothing"
  kill -KILL "$ours"
  wait "$ours" || true
  until_true none_left || fail "$how: was killed, and left $(left | tr '\n' ' ')"
done

"$tenure" run well.toml --seeds 1..4 >/dev/null || fail "a run of a good program fails"
none_left || fail "a run ended, and left $(left | tr '\n' ' ')"
