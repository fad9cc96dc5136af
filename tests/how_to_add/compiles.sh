#!/usr/bin/env bash
# compiles.sh CXX SOURCE COPY: one protocol, scheduler, fault, checker and store are added to COPY, a copy of the
# sources, with as many files as docs/how-to-add.md says, and every file that is new or has a new row compiles. Whether
# the whole builds and runs with them takes minutes: `./dev additions`.
set -euo pipefail
cxx=$1 source=$2 copy=$3
python3 "$source/tests/how_to_add/add.py" "$source" "$copy"
cd "$copy"
mapfile -t files < <(
  { (cd "$source/tests/how_to_add" && for kind in */; do (cd "$kind" && find . -name '*.cc' -printf '%P\n'); done)
    sed -nE 's/^file = "(.*\.cc)"$/\1/p' "$source/tests/how_to_add/rows.toml"
    # What goes through the tables of rows, and through all stores' fields.
    echo sim/faults/registry.cc sim/checkers/registry.cc sim/world/digest.cc lab/explore/wire.cc | tr ' ' '\n'
  } | sort -u)
for file in "${files[@]}"; do "$cxx" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I. "$file"; done
echo "${#files[@]} files compile"
