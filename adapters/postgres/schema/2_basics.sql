-- functions: made again whenever a migration is executed, so that they are always those of the newest version
--
-- Programs of the version before call them too: parameters and results stay as they are, and what is new has a new
-- name. (Postgres refuses to replace a function whose results differ.)
--
-- So are settings of tables. Vacuum keeps the server's own pace, although migration 1 says otherwise: without pauses it
-- writes to the log as fast as it can, and whoever commits waits for that. A leader's renewals do, too.
ALTER TABLE tenure.segment RESET (autovacuum_vacuum_cost_delay);
ALTER TABLE tenure.outbox RESET (autovacuum_vacuum_cost_delay);

-- Functions that forbid sequential scans or sorts forbid `jit`, too. What is forbidden and cannot be avoided looks so dear
-- that the server would compile the plan first, which takes a tenth of a second.

-- No comparison may take NULL for an answer: `NULL <> 1` is NULL, and an IF takes that for false. Whoever calls with a
-- NULL, or with lists of unlike lengths, is refused before anything is locked.
CREATE OR REPLACE FUNCTION tenure.refuse_null(p_nulls bigint) RETURNS void LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
  IF p_nulls IS DISTINCT FROM 0 THEN
    RAISE EXCEPTION 'an argument is null, or lists are not of one length' USING ERRCODE = 'null_value_not_allowed';
  END IF;
END $$;

-- How many numbers a list lacks that is to have `p_n`; null when the list is null. Of any type: where Postgres has to
-- convert an argument, it parses and plans the function anew in each request, and not once for a connection.
DROP FUNCTION IF EXISTS tenure.gaps(bigint, bigint[]);
CREATE OR REPLACE FUNCTION tenure.gaps(p_n int, p_list anyarray) RETURNS int LANGUAGE sql IMMUTABLE
AS $$ SELECT num_nulls(VARIADIC p_list) + abs(cardinality(p_list) - p_n) $$;

-- The store's clock. In a function of its own for the sake of tests, which put another in its place.
CREATE OR REPLACE FUNCTION tenure.now_us() RETURNS bigint LANGUAGE sql VOLATILE
AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint $$;

-- The store's branch: the timeline that is written now. (The control file may still say the one before a promotion.)
CREATE OR REPLACE FUNCTION tenure.branch() RETURNS bigint LANGUAGE sql VOLATILE
AS $$ SELECT ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint $$;

-- The first thing that every request does: no lock is waited for longer than this, and what is acknowledged is on the
-- disk whatever the server's setting.
CREATE OR REPLACE FUNCTION tenure.prepare(p_wait_ms bigint) RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
  v_said text;
BEGIN
  IF p_wait_ms IS NULL THEN
    PERFORM tenure.refuse_null(1);
  END IF;
  v_said := set_config('lock_timeout', p_wait_ms::text, true);  -- a PERFORM would be a query of its own
  IF current_setting('synchronous_commit') = 'off' THEN
    v_said := set_config('synchronous_commit', 'on', true);
  END IF;
END $$;

