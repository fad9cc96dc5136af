#!/usr/bin/env bash
# The same scenario and seed make the same trace, whatever runs them.
#
#   compare.sh [--scenarios DIR] TENURE…
#
# Each TENURE is a binary: another compiler, another optimisation. Each runs every scenario in and below DIR with every
# seed, alone and alone again, then all of them in one batch with -j 2, and in reverse order with -j 1. Every
# document printed must be the first binary's, byte for byte; where trace hashes differ, both sides run once more
# with a trace, and the first event that differs is shown. DIR/designs is left out: it may need programs that are not
# here, and tests/designs compares the hashes of its runs.
#
# Exit codes: 0 all equal, 3 not, 70 when something did not run.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scenarios=$here/../../scenarios
if [[ ${1:-} == --scenarios ]]; then
  scenarios=$2
  shift 2
fi
binaries=()
for binary in "$@"; do binaries+=("$(realpath "$binary")"); done
seeds=(1 2)
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT

broken() { echo "cannot compare: $*"; exit 70; }

cd "$scenarios"
shopt -s nullglob globstar
files=()
for file in **/*.toml; do [[ $file == designs/* ]] || files+=("$file"); done
shopt -u nullglob globstar
[[ ${#files[@]} -gt 0 ]] || broken "no scenario in $scenarios"
[[ ${#binaries[@]} -gt 0 ]] || broken "no binary given"

# run OUTPUT BINARY ARGS…: a verdict of any kind (0, 1, 2) is a run.
run() {
  local output=$1 code=0
  shift
  "$1" run "${@:2}" --format json >"$output" 2>"$output.err" || code=$?
  [[ $code -le 2 ]] || { cat "$output.err"; echo "$1 run ${*:2} --format json: exit code $code"; return 70; }
}

# The trace hashes of JSON documents: one line "scenario seed hash" each, sorted.
hashes() {
  cat "$@" | grep -oE '"(scenario|seed|trace_hash)": ?("[^"]*"|[0-9]+)' | sed -E 's/": ?/ /; s/"//g' |
    awk '{value[$1] = $2} $1 == "trace_hash" {print value["scenario"], value["seed"], $2}' | sort
}

# run_all BINARY FOLDER: every way of running, one folder each, and its hashes in a file beside it.
run_all() {
  local binary=$1 to=$2 way file seed reversed=() i
  for ((i = ${#files[@]} - 1; i >= 0; --i)); do reversed+=("${files[i]}"); done
  mkdir -p "$to"/{alone,again,batch-j2,reversed}
  for way in alone again; do
    for file in "${files[@]}"; do
      for seed in "${seeds[@]}"; do run "$to/$way/${file//\//_}.$seed.json" "$binary" "$file" --seed "$seed"; done
    done
  done
  for seed in "${seeds[@]}"; do
    run "$to/batch-j2/$seed.json" "$binary" "${files[@]}" --seed "$seed" -j 2
    run "$to/reversed/$seed.json" "$binary" "${reversed[@]}" --seed "$seed" -j 1
  done
  for way in alone again batch-j2 reversed; do hashes "$to/$way"/*.json >"$to/$way.hashes"; done
}

# The first line in which two traces differ, with its number, both sides.
first_difference() {
  awk -v other="$2" '
    function show(ours, theirs) { print "  first difference, event " NR; print "  - " ours; print "  + " theirs; found = 1; exit }
    { if ((getline theirs < other) <= 0) theirs = "(no more events)"; if (theirs != $0) show($0, theirs) }
    END { if (!found && (getline theirs < other) > 0) { ++NR; show("(no more events)", theirs) }
          if (!found) print "  no record differs when both run alone: the difference comes from what ran beside it, or leaves no record" }' "$1"
}

# explain NAME SEED BINARY WAY: what differs, down to the event.
explain() {
  local name=$1 seed=$2 binary=$3 way=$4 file
  file=$(grep -lE "^name *= *\"$name\"" "${files[@]}" | head -n 1)
  echo "DIFFERENT: $name, seed $seed: ${binaries[0]} (-) and $binary $way (+)"
  run "$work/trace.json" "${binaries[0]}" "$file" --seed "$seed" --trace "$work/expected.jsonl"
  run "$work/trace.json" "$binary" "$file" --seed "$seed" --trace "$work/actual.jsonl"
  first_difference "$work/expected.jsonl" "$work/actual.jsonl"
}

for i in "${!binaries[@]}"; do
  run_all "${binaries[i]}" "$work/$i" &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || broken "a run failed, see above"; done

expected=$work/0/alone.hashes
[[ $(wc -l <"$expected") -eq $((${#files[@]} * ${#seeds[@]})) ]] || broken "expected a trace hash for each scenario and seed"
different=0
declare -A explained
for i in "${!binaries[@]}"; do
  for way in alone again batch-j2 reversed; do
    while read -r name seed _; do
      different=$((different + 1))
      [[ -z ${explained[$name $seed $i]:-} ]] || continue  # the other ways are most likely the same story
      explained[$name $seed $i]=yes
      explain "$name" "$seed" "${binaries[i]}" "$way"
    done < <(comm -13 "$expected" "$work/$i/$way.hashes")
    [[ $(wc -l <"$work/$i/$way.hashes") -eq $(wc -l <"$expected") ]] || broken "${binaries[i]} $way left some out"
  done
done
[[ $different -eq 0 ]] || exit 3

# Equal traces, and yet another report? Metrics and stories are part of the promise.
for i in "${!binaries[@]}"; do
  for document in "$work/0/alone"/*.json; do
    for way in alone again; do
      cmp -s "$document" "$work/$i/$way/${document##*/}" && continue
      different=$((different + 1))
      echo "DIFFERENT: the report on ${document##*/} by ${binaries[i]} $way"
      diff "$document" "$work/$i/$way/${document##*/}" | cut -c 1-300 | head -n 6 || true
    done
  done
done
[[ $different -eq 0 ]] || exit 3
echo "deterministic: ${#files[@]} scenarios x ${#seeds[@]} seeds x 4 ways x ${#binaries[@]} binaries, all trace hashes equal"
