#!/usr/bin/env bash
# with_redis.sh COMMAND…: a Redis of its own for the length of a command, on a socket in a temporary directory whose
# path is in REDIS_SOCKET. Nothing is left behind.
set -euo pipefail
command -v redis-server >/dev/null || { echo "redis-server is missing: ./dev setup installs it" >&2; exit 1; }
directory=$(mktemp -d)
export REDIS_SOCKET=$directory/socket
redis-server --port 0 --unixsocket "$REDIS_SOCKET" --dir "$directory" --save "" --appendonly no \
  --logfile "$directory/log" >/dev/null &
server=$!
end() {
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  rm -rf "$directory"
}
trap end EXIT
for _ in $(seq 200); do
  [[ -S $REDIS_SOCKET ]] && break
  sleep 0.05
done
[[ -S $REDIS_SOCKET ]] || { echo "redis-server did not start:" >&2; cat "$directory/log" >&2; exit 1; }
"$@"
