# Sourced by the tests of processes: a folder of their own, and none of `pid` outlives them.
work=$(mktemp -d)
declare -A pid
trap 'kill -KILL "${pid[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "FAILED: $*"
  tail -n 5 out.* journal.* || true
  exit 1
}
