#!/usr/bin/env bash
# What a fire costs beside a snapshot that somebody holds open, as a backup does: microseconds of the server's CPU for a
# commit of one fire, alone, and after ten thousand commits beside the snapshot. CPU and not time, so that a busy machine
# tells the same; the disk's part is not in it.
#
#   bash tests/adapters/postgres/with_postgres.sh bash bench/postgres/snapshot.sh build/release/bin/tenure
set -euo pipefail
tenure=$1
createdb snapshots
"$tenure" print migrations postgres | psql -q snapshots -f - 2>/dev/null
psql -qAt snapshots <<'SQL' | grep commit
SELECT tenure.acquire(1000, 1, 1, 1, 0, 7, 36000000000);
INSERT INTO tenure.segment SELECT 1, i, 1, 0, 9223372036854775, 1000000, 0 FROM generate_series(1, 1000) i;
VACUUM ANALYZE tenure.segment;
CREATE PROCEDURE fire(n int) LANGUAGE plpgsql AS $$
DECLARE
  v_schedule bigint;
  v_cursor bigint;
BEGIN
  FOR i IN 1..n LOOP
    v_schedule := 1 + i % 1000;
    SELECT cursor_us INTO v_cursor FROM tenure.segment
    WHERE resource = 1 AND schedule = v_schedule AND version = 1;
    PERFORM tenure.commit_fire(
      1000, 1, 1, 1, tenure.branch(), 1, 7, v_schedule, 1, v_cursor, v_cursor + 1000, v_cursor, v_cursor + 1, v_cursor);
    COMMIT;
  END LOOP;
END $$;
-- Of this process, in hundredths of a second.
CREATE FUNCTION cpu() RETURNS int LANGUAGE sql VOLATILE
AS $$ SELECT split_part(s, ' ', 14)::int + split_part(s, ' ', 15)::int FROM pg_read_file('/proc/self/stat') s $$;
CALL fire(1000);
SELECT cpu() AS before \gset
CALL fire(6000);
SELECT 10000 * (cpu() - :before) / 6000 || ' us a commit';
\! (psql -qAt snapshots -c "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM tenure.head; SELECT pg_sleep(600)" >/dev/null 2>&1 &)
SELECT pg_sleep(1);
CALL fire(10000);
SELECT cpu() AS before \gset
CALL fire(2000);
SELECT 10000 * (cpu() - :before) / 2000 || ' us a commit, beside a snapshot that is 10,000 commits old';
SQL
psql -q snapshots -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()" >/dev/null
