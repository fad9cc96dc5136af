-- functions: made again whenever a migration is executed, so that they are always those of the newest version
--
-- Programs of the version before call them too: parameters and results stay as they are, and what is new has a new
-- name. (Postgres refuses to replace a function whose results differ.)

-- How rows are found (docs/adr/0062). Whatever the planner believes of a table, there is one good plan alone:
--
--   1. A key is looked for in the order of its last part: `a = … AND b >= … AND b <= … ORDER BY b`. One index has this
--      order. An equation orders nothing, and to whoever takes a table for empty all indexes cost the same.
--   2. Functions that programs call forbid sorts and sequential scans, and run with the rights of their owner
--      (CMakeLists.txt has the words). They forbid `jit`, too: what is forbidden and cannot be avoided looks so dear
--      that the server would compile the plan first, which takes a tenth of a second.
--   3. What is found is written by its place (`ctid`), which it keeps for as long as the head is locked.
--   4. A row of columns says where a range begins, `(a, b) > (…)`, and never where it ends: the server reads on to the
--      end of `a`.

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
CREATE OR REPLACE FUNCTION tenure.gaps(p_n int, p_list anyarray) RETURNS int LANGUAGE sql IMMUTABLE
AS $$ SELECT num_nulls(VARIADIC p_list) + abs(cardinality(p_list) - p_n) $$;

CREATE OR REPLACE FUNCTION tenure.event_gaps(p_schedule bigint[], p_slot bigint[], p_run bigint[]) RETURNS int
LANGUAGE sql IMMUTABLE
AS $$ SELECT tenure.gaps(cardinality(p_schedule), p_schedule) + tenure.gaps(cardinality(p_schedule), p_slot)
             + tenure.gaps(cardinality(p_schedule), p_run) $$;

-- The places of rows, by their keys. The planner puts these into the statements that call them.
CREATE OR REPLACE FUNCTION tenure.place_in_segment(p_resource bigint, p_schedule bigint, p_version bigint)
    RETURNS TABLE (place tid) LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT x.ctid FROM tenure.segment x
  WHERE x.resource = p_resource AND x.schedule = p_schedule AND x.version >= p_version AND x.version <= p_version
  ORDER BY x.version LIMIT 1
$$;
CREATE OR REPLACE FUNCTION tenure.places_in_segment(p_resource bigint, p_schedule bigint)
    RETURNS TABLE (place tid) LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT x.ctid FROM tenure.segment x
  WHERE x.resource = p_resource AND x.schedule = p_schedule ORDER BY x.version
$$;
CREATE OR REPLACE FUNCTION tenure.place_in_outbox(p_resource bigint, p_schedule bigint, p_slot bigint, p_run bigint)
    RETURNS TABLE (place tid) LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT x.ctid FROM tenure.outbox x
  WHERE x.resource = p_resource AND x.slot_us = p_slot AND x.schedule = p_schedule AND x.run >= p_run AND x.run <= p_run
  ORDER BY x.run LIMIT 1
$$;
CREATE OR REPLACE FUNCTION tenure.place_in_waiting(p_resource bigint, p_schedule bigint, p_slot bigint, p_run bigint)
    RETURNS TABLE (place tid, attempt bigint) LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT x.ctid, x.attempt FROM tenure.waiting x
  WHERE x.resource = p_resource AND x.slot_us = p_slot AND x.schedule = p_schedule AND x.run >= p_run AND x.run <= p_run
  ORDER BY x.run LIMIT 1
$$;
-- Locks an event that waits, and says where it is then. Who holds the head does not wait for a consumer's transaction,
-- which may last: the request is refused. p_late: as for tenure.read_head.
CREATE OR REPLACE FUNCTION tenure.lock_event(
    p_resource bigint, p_schedule bigint, p_slot bigint, p_run bigint, p_late boolean) RETURNS tid LANGUAGE plpgsql
AS $$
BEGIN
  IF p_late THEN
    PERFORM FROM tenure.waiting x
    WHERE x.resource = p_resource AND x.slot_us = p_slot AND x.schedule = p_schedule AND x.run >= p_run
      AND x.run <= p_run
    ORDER BY x.run LIMIT 1 FOR UPDATE;
  ELSE
    PERFORM FROM tenure.waiting x
    WHERE x.resource = p_resource AND x.slot_us = p_slot AND x.schedule = p_schedule AND x.run >= p_run
      AND x.run <= p_run
    ORDER BY x.run LIMIT 1 FOR UPDATE NOWAIT;
  END IF;
  RETURN (SELECT y.place FROM tenure.place_in_waiting(p_resource, p_schedule, p_slot, p_run) y);
END $$;
-- Locks an event if it is as w says, and no other transaction has it.
CREATE OR REPLACE FUNCTION tenure.try_lock_event(w tenure.waiting) RETURNS boolean LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM tenure.waiting x
  WHERE x.resource = w.resource AND x.seq >= w.seq AND x.seq <= w.seq AND x.attempt = w.attempt
    AND x.claimed = w.claimed AND x.until_us = w.until_us
  ORDER BY x.seq LIMIT 1 FOR UPDATE SKIP LOCKED;
  RETURN FOUND;
END $$;
-- Of an event that waits for who has had it (DeliveredEvent); p_kind NULL: whoever that is.
CREATE OR REPLACE FUNCTION tenure.place_for(
    p_resource bigint, p_schedule bigint, p_slot bigint, p_run bigint, p_kind bigint, p_to text)
    RETURNS TABLE (place tid, attempt bigint) LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT x.ctid, x.attempt FROM tenure.waiting x
  WHERE x.resource = p_resource AND x.slot_us = p_slot AND x.schedule = p_schedule AND x.run >= p_run AND x.run <= p_run
    AND (p_kind IS NULL OR (x.kind = p_kind AND (p_to = '' OR x.name = p_to)))
  ORDER BY x.run LIMIT 1
$$;
CREATE OR REPLACE FUNCTION tenure.place_in_ended(p_resource bigint, p_schedule bigint, p_slot bigint, p_run bigint)
    RETURNS TABLE (place tid) LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT x.ctid FROM tenure.ended x
  WHERE x.resource = p_resource AND x.slot_us = p_slot AND x.schedule = p_schedule AND x.run >= p_run AND x.run <= p_run
  ORDER BY x.run LIMIT 1
$$;
-- An event can have died more than once.
CREATE OR REPLACE FUNCTION tenure.places_in_dead(p_resource bigint, p_schedule bigint, p_slot bigint, p_run bigint)
    RETURNS TABLE (place tid, discarded boolean) LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT x.ctid, x.discarded_us IS NOT NULL FROM tenure.dead x
  WHERE x.resource = p_resource AND x.slot_us = p_slot AND x.schedule = p_schedule AND x.run >= p_run AND x.run <= p_run
  ORDER BY x.run
$$;

-- The store's clock. In a function of its own for the sake of tests, which put another in its place.
CREATE OR REPLACE FUNCTION tenure.now_us() RETURNS bigint LANGUAGE sql VOLATILE
AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint $$;

-- Which run of the server this is. In a function of its own for the sake of tests, too.
CREATE OR REPLACE FUNCTION tenure.server_us() RETURNS bigint LANGUAGE sql STABLE
AS $$ SELECT floor(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint $$;

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

