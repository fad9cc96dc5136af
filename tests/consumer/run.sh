#!/usr/bin/env bash
# Runs the commands of docs/property-tests.md as they stand there, with folders of this test in the place of /tmp:
#   run.sh SOURCE BUILD WORK
# and holds the sample in the page against the file that they build.
set -euo pipefail
source=$1 build=$2 work=$3
page=$source/docs/property-tests.md

# block OPENING: the lines of the first block that opens so.
block() { awk -v opening="$1" 'open && $0 == "```" { exit } open { print } $0 == opening { open = 1 }' "$page"; }

diff <(block '```cpp') "$source/tests/consumer/majority_lease_test.cc" ||
  { echo "docs/property-tests.md shows another majority_lease_test.cc than tests/consumer has"; exit 1; }

commands=$(block '```sh')
[[ -n $commands ]] || { echo "docs/property-tests.md has no commands"; exit 1; }
commands=${commands//build\/release/$build}
commands=${commands//\/tmp\/tenure/$work\/prefix}
commands=${commands//\/tmp\/consumer/$work\/build}
rm -rf "$work"
mkdir -p "$work"
cd "$source"
bash -euxo pipefail -c "$commands"
