#!/usr/bin/env bash
# with_redis.sh COMMAND…: a Redis of its own for the length of a command, and a replica of it, with their sockets in a
# temporary directory: their paths are in REDIS_SOCKET and REDIS_REPLICA_SOCKET. The replica reaches it on loopback.
# Nothing is left behind.
set -euo pipefail
command -v redis-server >/dev/null || { echo "redis-server is missing: ./dev setup installs it" >&2; exit 1; }
directory=$(mktemp -d)
export REDIS_SOCKET=$directory/socket REDIS_REPLICA_SOCKET=$directory/replica
servers=()
end() {
  for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
  for server in "${servers[@]}"; do wait "$server" 2>/dev/null || true; done
  rm -rf "$directory"
}
trap end EXIT
start() {  # SOCKET OPTION…: whether it came up
  redis-server --bind 127.0.0.1 --unixsocket "$1" --dir "$directory" --save "" --logfile "$1.log" "${@:2}" >/dev/null &
  servers+=($!)
  for _ in $(seq 200); do
    [[ -S $1 ]] && return
    kill -0 "${servers[-1]}" 2>/dev/null || return 1
    sleep 0.05
  done
  return 1
}
started=
for _ in 1 2 3 4 5; do  # another program may have the port
  port=$((20000 + RANDOM % 20000))
  if start "$REDIS_SOCKET" --port "$port" --repl-diskless-sync-delay 0; then
    started=yes
    break
  fi
done
[[ $started ]] && start "$REDIS_REPLICA_SOCKET" --port 0 --replicaof 127.0.0.1 "$port" ||
  { echo "redis-server did not start:" >&2; cat "$directory"/*.log >&2; exit 1; }
"$@"
