#!/usr/bin/env bash
# Runs the commands of a page as they stand there, in order and in one shell, with a folder of this test in the place of
# /tmp: what is in blocks that open with ```sh. Those that open with ```sh run are docs_test's; ```sh slow is left out.
#
#   commands.sh PAGE BUILD WORK
set -euo pipefail
page=$(realpath "$1") build=$(realpath "$2") work=$3
commands=$(awk 'open && $0 == "```" { open = 0 } open { print } $0 == "```sh" { open = 1 }' "$page")
[[ -n $commands ]] || { echo "$page has no commands"; exit 1; }
commands=${commands//.\/dev build/true}
commands=${commands//build\/release/@build@}  # whose own path may hold either name
rm -rf "$work"
mkdir -p "$work"
work=$(realpath "$work")
commands=${commands//\/tmp/$work}
commands=${commands//@build@/$build}
cd "$(dirname "$page")/.."
status=0
# What it began is not left running where a command fails.
bash -euxo pipefail -c "trap 'kill \$(jobs -rp) 2>/dev/null || true' EXIT
$commands" || status=$?
rm -rf "$work"
exit "$status"
