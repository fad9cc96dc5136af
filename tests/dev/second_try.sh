#!/usr/bin/env bash
# second_try.sh ROOT: `./dev test` and `./dev test --all` with tests that fail once, or always, in a project that has only
# these.
set -euo pipefail
root=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tests/determinism" "$folder/tests/adapters/postgres" "$folder/tests/tidy"
cp "$root/dev" "$root/CMakePresets.json" "$folder"
cp "$root/tests/tidy/short_tests.sh" "$folder/tests/tidy"
echo "exit 0" >"$folder/tests/determinism/compare.sh"
echo '"${@:2}"' >"$folder/tests/adapters/postgres/with_postgres.sh"
touch "$folder/packages.txt"
cat >"$folder/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(tried NONE)
enable_testing()
foreach(target short_tests tenured example_scheduler it tenure cron_fuzz scenario_fuzz calibrate_fuzz)
  add_custom_target(${target})
endforeach()
add_test(NAME fuzz.nothing COMMAND true)
include(tests.cmake)
CMAKE

tier=--all
# says STATUS WORDS: `./dev test $tier` ends so, and says so.
says() {
  local status=0
  [[ -n ${again:-} ]] || rm -rf "$folder/build"
  (cd "$folder" && ./dev test $tier) >"$folder/said" 2>&1 || status=$?
  [[ $status == "$1" ]] && grep -qE -- "$2" "$folder/said" && return
  echo "error: wanted exit status $1 and $2, and got $status:" >&2
  cat "$folder/said" >&2
  exit 1
}
silent_about() { ! grep -q -- "$1" "$folder/said" || { echo "error: it speaks of $1" >&2; exit 1; }; }
# Below the words "what they say", where all is in one place.
repeats() { sed -n '/what they say/,/^==/p' "$folder/said" | grep -q -- "$1" || { echo "error: not said: $1" >&2; exit 1; }; }
# once NAME: a test that fails the first time. always NAME: one that fails.
once() {
  local mark=$folder/$1.was_run
  rm -f "$mark"
  echo "add_test(NAME $1 COMMAND bash -c \"test -e '$mark' || { touch '$mark'; echo 'a.cc:1: Failure'; exit 1; }\")"
}
always() { echo "add_test(NAME $1 COMMAND bash -c \"echo 'b.cc:2: Failure'; exit 1\")"; }
label() { echo "set_tests_properties($1 PROPERTIES LABELS real_time)"; }
tests() { cat >"$folder/tests.cmake"; }

tests </dev/null
says 0 '^OK: every test passed'
silent_about NOTE

{ once postgres.slow; label postgres.slow; } | tests
says 0 '^NOTE: postgres.slow passed only by itself'
repeats 'a.cc:1: Failure'

once core.drawn | tests
says 1 '^FAILED: g\+\+ tests: core.drawn$'

{ always postgres.broken; label postgres.broken; } | tests
says 1 '^FAILED: g\+\+ tests: postgres.broken$'
repeats 'b.cc:2: Failure'

{ once postgres.slow; label postgres.slow; always core.wrong; } | tests
says 1 '^FAILED: g\+\+ tests: core.wrong postgres.slow$'
silent_about 'once more'

# The short tier skips long tests and programs that it does not build.
tier=
{ once core.first; always core.at_length; echo 'set_tests_properties(core.at_length PROPERTIES LABELS "it;long")'
  always it_NOT_BUILT; } | tests
says 1 '^FAILED: tests: core.first$'
sed -i /core.first/d "$folder/tests.cmake"
echo "add_test(NAME core.second COMMAND true)" >>"$folder/tests.cmake"
says 0 '^OK: every short test passed'
says 0 '^ *[0-9]+ s  short tests$'
# One that took more than 5 s is refused the next time.
echo "add_test(NAME core.slow COMMAND sleep 5.2)" >>"$folder/tests.cmake"
says 0 '^OK: every short test passed'
again=yes says 1 'error: longer than 5 s: core.slow'
# Of what changed since the last commit on main: what is said to read it, and all if nothing is.
{ always core.other; echo "add_test(NAME it.reads COMMAND true)"
  echo 'set_tests_properties(it.reads PROPERTIES LABELS it)'
  echo 'file(WRITE ${CMAKE_BINARY_DIR}/tests_read.txt "it read\n")'; } | tests
mkdir "$folder/read"
printf '%s\n' build said '*.was_run' >"$folder/.gitignore"
git -C "$folder" init -q -b main
git -C "$folder" add .
git -C "$folder" -c user.name=it -c user.email=it@localhost commit -qm it
tier=--changed
says 0 '^nothing has changed'
touch "$folder/read/a.cc"
says 0 '^OK: the short tests of what has changed'
touch "$folder/another"
says 1 '^FAILED: tests: core.other$'
rm -rf "$folder/.git" "$folder/another"
tier=--all

# ctest calls a GoogleTest skipped whose suite could not be set up.
cat >"$folder/set_up.sh" <<'SH'
echo 'c.cc:3: Failure'
echo '[  SKIPPED ] Suite.name (0 ms)'
echo '[  FAILED  ] Suite: SetUpTestSuite or TearDownTestSuite'
exit 1
SH
tests <<'CMAKE'
add_test(NAME Suite.name COMMAND bash ${CMAKE_SOURCE_DIR}/set_up.sh)
set_tests_properties(Suite.name PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED")
CMAKE
says 1 '^FAILED: g\+\+ tests: Suite.name$'
repeats 'c.cc:3: Failure'

# The build with clang and the fuzzing go on beside something else; what they say, and that they fail, is not lost.
tests <<'CMAKE'
if(CMAKE_BINARY_DIR MATCHES "clang$")
  add_custom_target(broken COMMAND echo "d.cc:4: error: planted" COMMAND false)
  add_dependencies(tenure broken)
endif()
CMAKE
says 1 '^FAILED: build with clang$'
says 1 'd.cc:4: error: planted'
tests <<'CMAKE'
if(CMAKE_BINARY_DIR MATCHES "clang$")
  add_test(NAME fuzz.something COMMAND bash -c "echo 'crash-1'; exit 1")
endif()
CMAKE
says 1 '^FAILED: fuzzing$'
says 1 'crash-1'

# Nothing of it stays behind when the tests are ended.
cat >"$folder/long.sh" <<'SH'
echo $$ >"$1"
exec sleep 60
SH
tests <<'CMAKE'
if(CMAKE_BINARY_DIR MATCHES "clang$")
  add_custom_target(long COMMAND bash ${CMAKE_SOURCE_DIR}/long.sh ${CMAKE_SOURCE_DIR}/long)
  add_dependencies(tenure long)
else()
  add_test(NAME core.waits COMMAND bash -c "until [ -e '${CMAKE_SOURCE_DIR}/long' ]; do sleep 0.05; done; exec sleep 60")
endif()
CMAKE
rm -rf "$folder/build"
set -m  # a group of its own, as at a terminal
(cd "$folder" && exec ./dev test --all) >"$folder/said" 2>&1 &
set +m
tried=$!
for _ in $(seq 2400); do [[ -s $folder/long ]] && break; sleep 0.05; done
[[ -s $folder/long ]] || { echo "error: the build with clang never began" >&2; exit 1; }
kill -- "-$tried"
wait "$tried" || true
for _ in $(seq 1000); do kill -0 "$(<"$folder/long")" 2>/dev/null || exit 0; sleep 0.05; done
echo "error: the build with clang goes on" >&2
exit 1
