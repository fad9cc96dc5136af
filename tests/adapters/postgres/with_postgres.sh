#!/usr/bin/env bash
# with_postgres.sh COMMAND…: a Postgres of its own for the length of a command, on loopback, and nothing left behind.
# What PGOPTION names (`fsync=on`) goes into its postgresql.conf.
set -euo pipefail
command -v pg_virtualenv >/dev/null ||
  { echo "pg_virtualenv is missing: ./dev setup installs postgresql-common" >&2; exit 1; }
unset PGHOST PGPORT PGUSER PGDATABASE PGPASSWORD PGSERVICE PGOPTIONS
options=(-o max_connections=60 -o wal_level=replica -o log_min_messages=fatal)
for option in ${PGOPTION:-}; do options+=(-o "$option"); done
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Clusters that are made at the same moment choose the same port: one after the other.
exec 9>"${TMPDIR:-/tmp}/with_postgres.lock"
flock 9
status=0
pg_virtualenv -t "${options[@]}" bash -c 'flock -u 9; exec "$@" 2>&3 9>&-' with_postgres "$@" 3>&2 2>"$log" || status=$?
[[ $status == 0 ]] || tail -n 20 "$log" >&2
exit "$status"
