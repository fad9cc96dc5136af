#!/usr/bin/env bash
# No server and no directory of one outlives us: not when we are killed, whatever we are at, nor when we end by
# ourselves.
#   orphans.sh TENURE SOURCE
set -euo pipefail
tenure=$1 source=$2
folder=$(mktemp -d)
chmod 1777 "$folder"  # who is root has the server run as somebody else
export TMPDIR=$folder
trap 'rm -rf "$folder"' EXIT
fail() { printf 'orphans: %s\n' "$*" >&2; exit 1; }
# Waits until "$@" succeeds.
until_true() {
  for _ in $(seq 1200); do
    if "$@"; then return 0; fi
    sleep 0.05
  done
  return 1
}
directories() { compgen -G "$folder/tenure-postgres-*"; }
# Processes that were started for a server in our folder, and its backends.
processes() {
  for process in /proc/[0-9]*; do
    if [[ $(readlink "$process/cwd" 2>/dev/null) == "$folder"/* ]] ||
       grep -qa "$folder/tenure-postgres" "$process/cmdline" 2>/dev/null; then
      printf '%s\n' "${process#/proc/}"
    fi
  done | grep -vx "$$" || true
}
nothing_left() { [[ -z $(directories) && -z $(processes) ]]; }
made() { directories >/dev/null; }
serving() { compgen -G "$folder/tenure-postgres-*/data/postmaster.pid" >/dev/null; }
nothing_left || fail "something is left of another run"

scenario=$source/scenarios/designs/article-lease/article-lease-postgres.toml
for when in made serving; do
  for signal in KILL TERM INT; do
    setsid "$tenure" hunt "$scenario" --seeds 1..100000 -j2 >/dev/null 2>&1 &
    ours=$!
    until_true "$when" || fail "$when: there is no server"
    [[ -n $(processes) ]] || fail "$when: there is nothing to leave behind, so this shows nothing"
    kill "-$signal" "$ours"
    [[ $signal != INT ]] || kill -KILL "$ours" 2>/dev/null || true  # the first one asks for an end
    wait "$ours" || true
    until_true nothing_left || fail "$when, SIG$signal: left $(directories) $(processes | tr '\n' ' ')"
  done
done

"$tenure" run "$scenario" >/dev/null || fail "a run of a good design fails"
nothing_left || fail "a run ended, and left $(directories) $(processes | tr '\n' ' ')"
