#!/usr/bin/env bash
# compare.sh against stand-ins for `tenure`, each nondeterministic in a way that it must find.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/scenarios/below"
printf 'name = "calm"\n' >"$work/scenarios/calm.toml"
printf 'name = "storm"\n' >"$work/scenarios/storm.toml"
printf 'name = "below/deep"\n' >"$work/scenarios/below/deep.toml"

# stand_in NAME CODE: CODE may change $hash, $event or $margin for one run of $file with $seed, or exit.
stand_in() {
  cat >"$work/$1" <<SCRIPT
#!/usr/bin/env bash
seed=0 trace= jobs=0 files=()
shift
while [[ \$# -gt 0 ]]; do
  case \$1 in
    --seed) seed=\$2; shift ;; --trace) trace=\$2; shift ;; -j) jobs=\$2; shift ;; --format) shift ;;
    *) files+=("\$1") ;;
  esac
  shift
done
calls=\$(cat "$work/$1.calls" 2>/dev/null || echo 0)
echo \$((calls + 1)) >"$work/$1.calls"
for file in "\${files[@]}"; do
  hash=9f3c21a07be4d815 event=step margin=1
  $2
  echo "{\"format\":1,\"scenario\":\"\${file%.toml}\",\"seed\":\$seed,\"verdict\":\"pass\",\"trace_hash\":\"\$hash\",\"margin\":\$margin}"
  [[ -z \$trace ]] || printf '{"event":"start"}\n{"event":"%s"}\n' "\$event" >"\$trace"
done
SCRIPT
  chmod +x "$work/$1"
}

failures=0
# expect CODE PATTERN BINARY…
expect() {
  local code=0 output
  output=$(bash "$here/compare.sh" --scenarios "$work/scenarios" "${@:3}" 2>&1) || code=$?
  if [[ $code -ne $1 ]] || ! grep -qE -- "$2" <<<"$output"; then
    failures=$((failures + 1))
    printf 'expected exit code %s and /%s/, got exit code %s and:\n%s\n' "$1" "$2" "$code" "$output"
  fi
}

stand_in steady ':'
expect 0 '^deterministic: 3 scenarios x 2 seeds x 4 ways x 1 binaries' "$work/steady"
expect 0 'x 2 binaries' "$work/steady" "$work/steady"

stand_in other-compiler '[[ $file$seed == storm.toml2 ]] && hash=0000000000000001 event=other'
expect 3 'DIFFERENT: storm, seed 2: .*steady.* \(-\) and .*other-compiler alone \(\+\)' "$work/steady" "$work/other-compiler"
expect 3 'first difference, event 2' "$work/steady" "$work/other-compiler"
expect 3 '^  - {"event":"step"}' "$work/steady" "$work/other-compiler"
expect 3 '^  \+ {"event":"other"}' "$work/steady" "$work/other-compiler"

stand_in elsewhere '[[ $file$seed == below/deep.toml2 ]] && hash=0000000000000003'
expect 3 'DIFFERENT: below/deep, seed 2' "$work/steady" "$work/elsewhere"

stand_in forgetful '[[ $calls -gt 3 ]] && hash=0000000000000002'
expect 3 'DIFFERENT: calm, seed 1: .* again ' "$work/forgetful"

stand_in racy '[[ $jobs == 2 && $file == calm.toml ]] && hash=0000000000000003'
expect 3 'DIFFERENT: calm, seed 1: .* batch-j2 ' "$work/racy"
expect 3 'comes from what ran beside it' "$work/racy"

stand_in leaky '[[ ${#files[@]} -gt 1 && ${files[0]} == storm.toml ]] && hash=0000000000000004'
expect 3 'DIFFERENT: calm, seed 2: .* reversed ' "$work/leaky"

stand_in vague '[[ $seed == 1 ]] && margin=$RANDOM$RANDOM'
expect 3 'DIFFERENT: the report on calm.toml.1.json by .*vague again' "$work/vague"

stand_in crashing '[[ $file == storm.toml ]] && exit 70'
expect 70 'exit code 70' "$work/crashing"

stand_in silent '[[ $file == storm.toml ]] && continue'
expect 70 'a trace hash for each scenario and seed' "$work/silent"

stand_in lossy '[[ ${#files[@]} -gt 1 && $file == storm.toml ]] && continue'
expect 70 'lossy batch-j2 left some out' "$work/lossy"

rm -r "$work/scenarios"/*
expect 70 'no scenario in' "$work/steady"

[[ $failures -eq 0 ]] || exit 1
echo "compare.sh finds what it must"
