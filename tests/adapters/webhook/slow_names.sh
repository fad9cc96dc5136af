#!/usr/bin/env bash
# slow_names.sh WEBHOOK_TEST: its tests of names, where the name server never answers. In namespaces of its own, so that
# nothing else notices; skipped (exit 77) where these are not to be had.
set -euo pipefail
test=$(realpath "$1")
unshare --user --map-root-user --mount --net true 2>/dev/null && command -v ip >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'nameserver 127.0.0.1\noptions timeout:10 attempts:2\n' >"$work/resolv.conf"
printf 'hosts: files dns\n' >"$work/nsswitch.conf"
unshare --user --map-root-user --mount --net bash -euc '
  ip link set lo up
  mount --bind "$1/resolv.conf" "$(realpath /etc/resolv.conf)"
  mount --bind "$1/nsswitch.conf" /etc/nsswitch.conf
  coproc SERVER { exec /usr/bin/python3 -c "
import socket, sys
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind((\"127.0.0.1\", 53))
print(flush=True)
sys.stdin.read()"; }
  read -r <&"${SERVER[0]}"
  TENURE_NAMES_ARE_SLOW=1 "$2" --gtest_filter="SlowNames.*"
  kill "$SERVER_PID"  # not before: bash would become its last command, and close the pipe to the server
' slow_names "$work" "$test"
