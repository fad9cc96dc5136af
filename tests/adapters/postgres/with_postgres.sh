#!/usr/bin/env bash
# with_postgres.sh COMMAND…: a Postgres of its own for the length of a command, on loopback, and nothing left behind.
# What PGOPTION names (`fsync=on`) goes into its postgresql.conf.
# with_postgres.sh --shared COMMAND…: start one server for COMMAND. Each with_postgres.sh in it that sets no PGOPTION
# creates a database there.
set -euo pipefail
command -v pg_virtualenv >/dev/null ||
  { echo "pg_virtualenv is missing: ./dev setup installs postgresql-common" >&2; exit 1; }
unset PGHOST PGPORT PGUSER PGDATABASE PGPASSWORD PGSERVICE PGOPTIONS
if [[ -n ${SHARED_POSTGRES:-} && -z ${PGOPTION:-} ]]; then
  # shellcheck disable=SC2086,SC2163
  export $SHARED_POSTGRES
  unset SHARED_POSTGRES
  database=of_$$
  PGDATABASE=postgres psql -qc "CREATE DATABASE $database"
  trap 'PGDATABASE=postgres psql -qc "DROP DATABASE $database (FORCE)"' EXIT
  PGDATABASE=$database "$@"
  exit
fi
unset SHARED_POSTGRES
in_it=(bash -c 'flock -u 9; exec "$@" 2>&3 9>&-' with_postgres)
if [[ $1 == --shared ]]; then
  shift
  in_it=(bash -c 'flock -u 9; exec env -u PGHOST -u PGPORT -u PGUSER -u PGPASSWORD -u PGDATABASE -u PGSYSCONFDIR \
    SHARED_POSTGRES="PGHOST=$PGHOST PGPORT=$PGPORT PGUSER=$PGUSER PGPASSWORD=$PGPASSWORD" "$@" 2>&3 9>&-' with_postgres)
fi
options=(-o max_connections=60 -o wal_level=replica -o log_min_messages=fatal)
for option in ${PGOPTION:-}; do options+=(-o "$option"); done
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Clusters that are made at the same moment choose the same port: one after the other.
exec 9>"${TMPDIR:-/tmp}/with_postgres.lock"
flock 9
status=0
pg_virtualenv -t "${options[@]}" "${in_it[@]}" "$@" 3>&2 2>"$log" || status=$?
[[ $status == 0 ]] || tail -n 20 "$log" >&2
exit "$status"
