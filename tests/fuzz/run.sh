#!/usr/bin/env bash
# Feeds a fuzzer with inputs grown from seeds, the same ones each time.
#
#   run.sh FUZZER RUNS SEEDS…
#
# SEEDS are folders of inputs, and files with an input a line. To look for longer, name more RUNS, and another seed with
# TENURE_FUZZ_SEED. An input that breaks something is kept, and named.
set -euo pipefail

fuzzer=$1 runs=$2
shift 2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
mkdir "$work/found" "$work/lines"

folders=()
for seeds in "$@"; do
  if [[ -d $seeds ]]; then
    folders+=("$seeds")
  else
    (cd "$work/lines" && split --lines=1 --suffix-length=4 - "$(basename "$seeds").") <"$seeds"
  fi
done

broken=${TMPDIR:-/tmp}/tenure-fuzz-$(basename "$fuzzer")-
if ! "$fuzzer" -runs="$runs" -seed="${TENURE_FUZZ_SEED:-1}" -max_len=16384 -timeout=10 -artifact_prefix="$broken" \
  "$work/found" "$work/lines" ${folders[@]+"${folders[@]}"} >"$work/log" 2>&1; then
  tail -n 60 "$work/log"
  exit 1
fi
tail -n 1 "$work/log"
