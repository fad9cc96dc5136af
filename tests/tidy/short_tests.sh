#!/usr/bin/env bash
# short_tests.sh CTEST BUILD: no test of the short tier took more than 5 s when ctest last ran it. One that does belongs
# into the long tier (tests/CMakeLists.txt), or is to be made quicker.
set -euo pipefail
log=$2/Testing/Temporary/LastTest.log
[[ -e $log ]] || { echo "no run before this one"; exit; }
short=$("$1" --test-dir "$2" --show-only --label-exclude '(^|[+])long$' | sed -n 's/^ *Test *#[0-9]*: //p')
[[ -n $short ]] || { echo "error: no test is of the short tier"; exit 1; }
slow=$(awk '/^[0-9]+\/[0-9]+ Testing: / { sub(/^[^:]*: /, ""); test = $0 }
            /^Test time = +/ { if ($4 + 0 > 5) print test "\t" $4 " s" }' "$log" |
  awk -F '\t' 'NR == FNR { short[$0]; next } $1 in short' <(echo "$short") -)
[[ -z $slow ]] || { printf 'error: longer than 5 s:\n%s\n' "$slow"; exit 1; }
echo "$(wc -l <<<"$short") tests of the short tier"
