#!/usr/bin/env bash
# Runs the commands of docs/property-tests.md and docs/library.md as they stand there, with folders of this test in the
# place of /tmp:
#   run.sh SOURCE BUILD WORK
# and holds the samples in the pages against the files that they build.
set -euo pipefail
source=$1 build=$2 work=$3

# block PAGE OPENING: the lines of the first block of a page that opens so.
block() { awk -v opening="$2" 'open && $0 == "```" { exit } open { print } $0 == opening { open = 1 }' "$source/docs/$1"; }
differs() { echo "docs/$1 shows another $2 than tests/consumer has"; exit 1; }
# commands PAGE
commands() {
  local commands
  commands=$(block "$1" '```sh')
  [[ -n $commands ]] || { echo "docs/$1 has no commands"; exit 1; }
  commands=${commands//build\/release/$build}
  commands=${commands//\/tmp\/tenure/$work\/prefix}
  commands=${commands//\/tmp\/consumer/$work\/build}
  commands=${commands//\/tmp/$work}
  bash -euxo pipefail -c "$commands"
}

diff <(block property-tests.md '```cpp') "$source/tests/consumer/majority_lease_test.cc" ||
  differs property-tests.md majority_lease_test.cc
diff <(block library.md '```cpp') <(awk '/^class Printer/ { open = 1 } open' "$source/tests/consumer/hunts.cc") ||
  differs library.md hunts.cc
rm -rf "$work"
mkdir -p "$work"
cd "$source"
commands property-tests.md
commands library.md
