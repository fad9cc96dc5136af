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

# The fuzzer mutates what shows it new code, in the order of the seeds, and knows code by its address: so seeds are given
# in order, and addresses are not random where that can be had.
inputs=$(find "$work/lines" ${folders[@]+"${folders[@]}"} -type f | LC_ALL=C sort | paste -s -d,)
echo -n "$inputs" >"$work/inputs"
same_addresses=(setarch "$(uname -m)" --addr-no-randomize)
"${same_addresses[@]}" true 2>/dev/null || same_addresses=()

broken=${TMPDIR:-/tmp}/tenure-fuzz-$(basename "$fuzzer")-
if ! ${same_addresses[@]+"${same_addresses[@]}"} "$fuzzer" -runs="$runs" -seed="${TENURE_FUZZ_SEED:-1}" -max_len=16384 -timeout=10 -artifact_prefix="$broken" \
  -seed_inputs="@$work/inputs" "$work/found" >"$work/log" 2>&1; then
  tail -n 60 "$work/log"
  exit 1
fi
tail -n 1 "$work/log"
