#!/bin/sh
# Builds a program in Go, and becomes it: `node = { command = ["sh", "…/tenure/run.sh", "main.go"] }`.
#   run.sh FILE.go… | FOLDER
#
# It is built with a standard library of which a few lines are others (docs/adr/0046): so a simulated process has the
# simulator's clocks, draws from its seed, and one thread. Nothing that is installed is changed.
set -eu

fail() { printf '%s\n' "$*" >&2; exit 1; }

[ $# -gt 0 ] || fail "usage: run.sh FILE.go… | FOLDER"
command -v go >/dev/null || fail "there is no Go here; on Debian 12: apt install golang-go"
[ -e "$1" ] || fail "there is no $1 in $PWD"
here=$(cd "$(dirname "$0")" && pwd)
asked=$*
# Go looks for go.mod from the folder of the program.
if [ -d "$1" ]; then
  folder=$(cd "$1" && pwd)
  set -- .
else
  folder=$(cd "$(dirname "$1")" && pwd)
  for file; do
    set -- "$@" "$(basename "$file")"
    shift
  done
fi
unset GODEBUG GOGC GOMEMLIMIT GOMAXPROCS GOTRACEBACK GOFLAGS GOEXPERIMENT
export CGO_ENABLED=0 GOOS=linux
{ read -r version; read -r library; read -r cache; read -r machine; } <<TEXT
$(go env GOVERSION GOROOT GOCACHE GOARCH)
TEXT
case $version in
  go1.19*) ;;
  *) fail "this is $version, and the shim knows the library of Go 1.19 (on Debian 12: apt install golang-go)" ;;
esac
case $cache in
  /*) ;;
  *) fail "Go has no cache here: GOCACHE is \`$cache\`; set HOME or GOCACHE" ;;
esac
# A library is made once for each state of this folder.
changed=$cache/tenure/$(cat "$here/run.sh" "$here"/overlay/* | cksum | tr ' ' '-')-$version-$machine
making=$changed.$$

# edit FILE LINE NEW: puts NEW in the place of the one line of the library's FILE that begins with LINE; or, if it is
# written +NEW, after that line.
edit() {
  copy=$making/$(printf %s "$1" | tr / -)
  [ -e "$copy" ] || cp "$library/src/$1" "$copy"
  LINE=$2 NEW=$3 awk '
    index($0, ENVIRON["LINE"]) == 1 {
      found++
      if (sub(/^[+]/, "", ENVIRON["NEW"])) print
      print ENVIRON["NEW"]
      next
    }
    { print }
    END { exit found != 1 }' "$copy" >"$copy.new" ||
    fail "$library/src/$1 is not as in Go 1.19: it has not one line \`$2\`"
  mv "$copy.new" "$copy"
  printf '"%s":"%s",\n' "$library/src/$1" "$changed/$(basename "$copy")" >>"$making/files"
}
# put FILE TEXT: a file of the library, which is another.
put() {
  cp "$here/overlay/$2" "$making/$2.go"
  printf '"%s":"%s",\n' "$library/src/$1" "$changed/$2.go" >>"$making/files"
}

if [ ! -d "$changed" ]; then
  mkdir -p "$making"
  put runtime/time_fake.go runtime.go.txt
  put syscall/time_fake.go syscall.go.txt
  put internal/syscall/unix/getrandom.go getrandom.go.txt
  # No thread that looks at the machine's time, and no draw from its ticks.
  edit runtime/proc.go '	if GOARCH != "wasm" { // no threads on wasm yet, so no sysmon' '	if false {'
  edit runtime/proc.go '	hi := uint32(int64Hash(uint64(cputicks()), ^fastrandseed))' '	hi := uint32(int64Hash(0, ^fastrandseed))'
  # One thread, whatever the program asks for.
  edit runtime/proc.go '	if n, ok := atoi32(gogetenv("GOMAXPROCS")); ok && n > 0 {' '	if n := int32(1); true {'
  edit runtime/proc.go 'func LockOSThread() {' '+	if tenure.life { return }'
  edit runtime/proc.go 'func dolockOSThread() {' '+	if tenure.life { return }'
  edit runtime/debug.go 'func GOMAXPROCS(n int) int {' '+	n = 0'
  edit runtime/os_linux.go '	ncpu = getproccount()' '	ncpu = 1'
  edit runtime/mgc.go '		notetsleepg(&work.bgMarkReady, -1)' '		for work.bgMarkReady.key == 0 { Gosched() }'
  # The draws and the waiting of overlay/runtime.go.txt.
  edit runtime/os_linux.go 'func getRandomData(r []byte) {' 'func tenureNoRandomData(r []byte) {'
  edit runtime/lock_futex.go 'func beforeIdle(' 'func tenureNoIdle(int64, int64) (*g, bool) {'
  # The order of a map is the same on each machine.
  edit runtime/alg.go '		cpu.X86.HasAES && // AESENC' '		false &&'
  edit runtime/alg.go '	if GOARCH == "arm64" && cpu.ARM64.HasAES {' '	if false {'
  # Who and where it is.
  edit "syscall/zsyscall_linux_$machine.go" 'func Getpid() (pid int) {' '+	if TenureLife() { return 1 }'
  edit os/sys_linux.go 'func hostname() (name string, err error) {' \
    '+	if syscall.TenureLife() { return syscall.TenureHost(), nil }'
  edit os/executable_procfs.go '	path, err := Readlink(procfn)' '	path, err := procfn, error(nil)'
  # What it cannot do.
  edit os/exec_posix.go 'func startProcess(' \
    '+	syscall.TenureRefuse("another program is not for a simulated process: it is one process")'
  edit net/sock_posix.go 'func socket(' '+	syscall.TenureRefuse("a socket is not for a simulated process: " +
		"t.Send and t.Messages are the network, t.SQL is the store")'
  edit os/signal/signal_unix.go 'func loop() {' '+	select {}'
  { echo '{"Replace":{'; sort -u "$making/files" | sed '$s/,$//'; echo '}}'; } >"$making/overlay.json"
  mv -T "$making" "$changed" 2>/dev/null || rm -r "$making"  # somebody else was quicker
fi

mkdir -p "$changed/programs"
find "$changed/programs" -type f -mtime +5 -delete 2>/dev/null || true  # as Go does with its own cache
program=$changed/programs/$(basename "$asked")-$(printf '%s/%s' "$folder" "$*" | cksum | tr ' ' '-')
# What is written while it is compiled says that it is at work (docs/node-protocol.md, "The rules").
( while sleep 2 2>/dev/null; do echo "compiling $asked" >&2; done ) </dev/null >/dev/null 3>&- &
waiting=$!
trap 'kill $waiting 2>/dev/null' EXIT
export GOTMPDIR="$changed"
said=$(cd "$folder" && go build -tags faketime -trimpath -overlay "$changed/overlay.json" -o "$program" "$@" 2>&1) || {
  printf '%s\n' "$said" >&2
  # The last line is what a report shows: the first mistake.
  printf '%s\n' "$said" | grep -m 1 -E '^[^ #].*:[0-9]+' >&2 || true
  exit 1
}
kill $waiting 2>/dev/null || true
trap - EXIT
# What it finds in its memory must not depend on whose machine this is: so its environment is all but empty.
exec env -i TZ= ${TENURE_FORKS+"TENURE_FORKS=$TENURE_FORKS"} "$program"
