#!/usr/bin/env bash
# short_tests.sh LOG: fail if a test in this log of ctest took more than 5 s. `./dev test` hands in the log of the short
# tier: a slower test is made LONG (tests/CMakeLists.txt), or quicker.
set -euo pipefail
awk '/^[0-9]+\/[0-9]+ Testing: / { sub(/^[^:]*: /, ""); test = $0 }
     /^Test time = / && $4 > 5 { print "error: longer than 5 s: " test ", " $4 " s"; slow = 1 }
     END { exit slow }' "$1"
