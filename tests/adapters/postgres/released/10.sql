-- The tables and functions of version 10, as they were released.
CREATE SCHEMA IF NOT EXISTS tenure;

-- migration 1: leases, schedules, the ledger, the change feed and the outbox, and the requests as functions
--
-- The tables of Tenure in Postgres. Each migration begins with a line like the one above and is executed once, in
-- order; after the last one all functions are made again (2_basics.sql and what follows). Times are microseconds since
-- the Unix epoch; 9223372036854775 is never. Numbers of 64 bits without a sign (nonce, run) are kept as the signed ones
-- of the same bits.
--
-- Locks, in this order and no other: the lease row, then the head row, then what is below a head.
CREATE TABLE tenure.meta (
  one int PRIMARY KEY CHECK (one = 1),
  schema_version int NOT NULL
);

-- core/store/reference/lease.h. Room on the page for the versions of a row that is renewed all the time.
CREATE TABLE tenure.lease (
  resource bigint PRIMARY KEY,
  holder_node bigint NOT NULL DEFAULT 0,
  holder_life bigint NOT NULL DEFAULT 0,  -- 0: nobody
  epoch bigint NOT NULL DEFAULT 0,
  nonce bigint NOT NULL DEFAULT 0,
  branch bigint NOT NULL DEFAULT 0,
  written_us bigint NOT NULL DEFAULT 0,
  expires_us bigint NOT NULL DEFAULT 0,
  stamp bigint NOT NULL DEFAULT 0         -- see tenure.head
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- All else that is one of a kind for a resource. Whoever changes schedules, segments or the outbox holds this row until
-- it has committed, so that numbers appear in the order of their commits.
--
-- Stamps order the changes of a resource: one is larger than those of all changes that it could have seen. Renewals do
-- not wait for fires nor fires for renewals, so these have stamps of their own, and an acquire is later than both.
CREATE TABLE tenure.head (
  resource bigint PRIMARY KEY,
  change_seq bigint NOT NULL DEFAULT 0,   -- the last number of the feed
  outbox_seq bigint NOT NULL DEFAULT 0,   -- and of the outbox
  hold_since_us bigint,                   -- null: no hold
  hold_jump_ns bigint,
  -- No segment's cursor is before it. Who looks for what is due begins here, and not among the index entries of where
  -- cursors once were, which stay until the next vacuum: hundreds of thousands of them.
  floor_us bigint NOT NULL DEFAULT -9223372036854775808,
  stamp bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Tombstones included.
CREATE TABLE tenure.schedule (
  resource bigint NOT NULL,
  schedule bigint NOT NULL,
  version bigint NOT NULL,
  change_seq bigint NOT NULL,             -- of the version in force, or of the delete
  since_us bigint NOT NULL,
  deleted boolean NOT NULL DEFAULT false,
  PRIMARY KEY (resource, schedule)
);

-- What is not drained yet. Everything before the cursor is covered: the ledger's watermark.
CREATE TABLE tenure.segment (
  resource bigint NOT NULL,
  schedule bigint NOT NULL,
  version bigint NOT NULL,
  begin_us bigint NOT NULL,
  end_us bigint NOT NULL DEFAULT 9223372036854775,
  cursor_us bigint NOT NULL,
  covered_us bigint NOT NULL,             -- an edit cuts no earlier
  PRIMARY KEY (resource, schedule, version)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX segment_due ON tenure.segment (resource, cursor_us, schedule, version);

-- What became of slots before the watermark that did not fire.
CREATE TABLE tenure.exception (
  resource bigint NOT NULL,
  schedule bigint NOT NULL,
  version bigint NOT NULL,
  from_us bigint NOT NULL,
  to_us bigint NOT NULL,
  slot_us bigint NOT NULL,                -- coalesced: into which
  what int NOT NULL CHECK (what BETWEEN 1 AND 5),  -- coalesced, missed, paused, overlapped, deleted
  PRIMARY KEY (resource, schedule, version, from_us)
);

CREATE TABLE tenure.change (
  resource bigint NOT NULL,
  seq bigint NOT NULL,
  schedule bigint NOT NULL,
  version bigint NOT NULL,
  begin_us bigint NOT NULL,               -- the segment as it began
  end_us bigint NOT NULL,
  cursor_us bigint NOT NULL,
  deleted boolean NOT NULL,
  ended_us bigint NOT NULL,               -- and where it ended since
  definition text NOT NULL,               -- JSON: core/journal/definition_codec.h
  PRIMARY KEY (resource, seq)
);

CREATE TABLE tenure.outbox (
  resource bigint NOT NULL,
  seq bigint NOT NULL,
  slot_us bigint NOT NULL,
  schedule bigint NOT NULL,
  run bigint NOT NULL,                    -- 0: no manual run
  PRIMARY KEY (resource, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1,
        autovacuum_vacuum_cost_delay = 0);
-- By time first: events come and go mostly in that order.
CREATE UNIQUE INDEX outbox_event ON tenure.outbox (resource, slot_us, schedule, run);

CREATE TABLE tenure.run (
  resource bigint NOT NULL,
  schedule bigint NOT NULL,
  run bigint NOT NULL,
  asked_us bigint NOT NULL,
  PRIMARY KEY (resource, schedule, run)
);

-- What acquire, renew and release answer. `why`: null when granted or released. `left_us`: for a refusal.
CREATE TYPE tenure.lease_reply AS (
  now_us bigint, stamp bigint, why int, holder_node bigint, holder_life bigint, branch bigint, epoch bigint,
  nonce bigint, promise_us bigint, left_us bigint);

-- `outcome`: 0 done, 1 nothing to do, 2 refused (`why`: the numbers of EditDenial), 3 look again.
CREATE TYPE tenure.edit_reply AS (
  now_us bigint, stamp bigint, outcome int, why int, version bigint, change_seq bigint, since_us bigint);


INSERT INTO tenure.meta VALUES (1, 1);
-- migration 2: the functions refuse NULL, and run with the rights of their owner


UPDATE tenure.meta SET schema_version = 2;
-- migration 3: an identity, dead events, and what is forgotten is found by when it ended
-- Which store this is, so that nobody takes another one for it.
ALTER TABLE tenure.meta ADD COLUMN identity uuid NOT NULL DEFAULT gen_random_uuid();

-- Whose work was given up: taken from the outbox, and kept until retention or a redrive.
CREATE TABLE tenure.dead (
  resource bigint NOT NULL,
  seq bigint NOT NULL,                    -- what the number in the outbox was
  slot_us bigint NOT NULL,
  schedule bigint NOT NULL,
  run bigint NOT NULL,                    -- 0: no manual run
  attempts bigint NOT NULL,               -- how often the work failed
  since_us bigint NOT NULL,
  PRIMARY KEY (resource, seq)
);
CREATE INDEX dead_event ON tenure.dead (resource, slot_us, schedule, run);
CREATE INDEX dead_since ON tenure.dead (resource, since_us, seq);
CREATE INDEX exception_ended ON tenure.exception (resource, to_us, schedule, version, from_us);
CREATE INDEX change_ended ON tenure.change (resource, ended_us, seq) WHERE ended_us < 9223372036854775;
CREATE INDEX run_asked ON tenure.run (resource, asked_us);


UPDATE tenure.meta SET schema_version = 3;
-- migration 4: names, payloads, who paused a schedule and who did what
-- A schedule that was put by number has no name: its number is its name.
ALTER TABLE tenure.schedule ADD COLUMN name text COLLATE "C",
                            ADD COLUMN pause_actor text NOT NULL DEFAULT '',
                            ADD COLUMN pause_why text NOT NULL DEFAULT '',
                            ADD COLUMN pause_us bigint;  -- null: since the version in force
CREATE UNIQUE INDEX schedule_name ON tenure.schedule (resource, coalesce(name, schedule::text COLLATE "C"))
  WHERE NOT deleted;

ALTER TABLE tenure.change ADD COLUMN what int NOT NULL DEFAULT 0,  -- put, paused, resumed
                          ADD COLUMN actor text NOT NULL DEFAULT '',
                          ADD COLUMN why text NOT NULL DEFAULT '';

-- For the versions from `version` to `last`. Leaders never read it.
CREATE TABLE tenure.payload (
  resource bigint NOT NULL,
  schedule bigint NOT NULL,
  version bigint NOT NULL,
  last bigint NOT NULL DEFAULT 4294967295,           -- this: it is in force
  ended_us bigint NOT NULL DEFAULT 9223372036854775,
  topic text NOT NULL,
  type text NOT NULL,
  data text NOT NULL,                                -- JSON
  labels text NOT NULL,                              -- JSON: core/journal/payload_codec.h
  description text NOT NULL,
  PRIMARY KEY (resource, schedule, version)
);
CREATE INDEX payload_ended ON tenure.payload (resource, ended_us) WHERE last < 4294967295;

-- The version that fired; 0: it was written before this migration.
ALTER TABLE tenure.outbox ADD COLUMN version bigint NOT NULL DEFAULT 0;
ALTER TABLE tenure.dead ADD COLUMN version bigint NOT NULL DEFAULT 0;


UPDATE tenure.meta SET schema_version = 4;
-- migration 5: events that others deliver, what became of slots, and instances that register
-- How events of a version are delivered, where that is not the leader's own work. `kind`: 1 pull, 2 push; `overlap`: 0
-- allow, 1 skip, 2 queue_one, 3 replace.
CREATE TYPE tenure.delivery AS (
  kind int, destination text, overlap int, strict_order boolean, attempts bigint, back_off_us bigint,
  longest_us bigint);
ALTER TABLE tenure.segment ADD COLUMN delivery tenure.delivery;  -- null: by the leader's own work
-- Versions in force that have no slot left, by when that began.
CREATE INDEX segment_finished ON tenure.segment (resource, greatest(begin_us, covered_us), schedule)
  WHERE cursor_us = 9223372036854775 AND end_us = 9223372036854775;

ALTER TABLE tenure.head ADD COLUMN history_seq bigint NOT NULL DEFAULT 0,  -- the last number of the history
                        ADD COLUMN next_node bigint NOT NULL DEFAULT 1000,
                        -- The latest time that an attempt was written with.
                        ADD COLUMN attempts_us bigint NOT NULL DEFAULT -9223372036854775;

-- When it was committed; null: before this migration.
ALTER TABLE tenure.outbox ADD COLUMN at_us bigint;

-- Events that are pulled or pushed (core/store/reference/waiting.h).
CREATE TABLE tenure.waiting (
  resource bigint NOT NULL,
  seq bigint NOT NULL,                    -- in one row of numbers with the outbox
  slot_us bigint NOT NULL,
  schedule bigint NOT NULL,
  run bigint NOT NULL,                    -- 0: no manual run
  version bigint NOT NULL,
  kind int NOT NULL,                      -- as in `delivery`
  name text COLLATE "C" NOT NULL,         -- the topic, the destination
  delivery tenure.delivery NOT NULL,
  at_us bigint NOT NULL,
  attempt bigint NOT NULL DEFAULT 0,
  nonce bigint NOT NULL DEFAULT 0,
  claimed boolean NOT NULL DEFAULT false,
  cancelled boolean NOT NULL DEFAULT false,
  from_us bigint NOT NULL DEFAULT 0,
  until_us bigint NOT NULL DEFAULT 0,
  worker text NOT NULL DEFAULT '',
  why text NOT NULL DEFAULT '',
  PRIMARY KEY (resource, seq)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);
CREATE UNIQUE INDEX waiting_event ON tenure.waiting (resource, slot_us, schedule, run);
CREATE INDEX waiting_schedule ON tenure.waiting (resource, schedule, seq);
CREATE INDEX waiting_name ON tenure.waiting (resource, kind, name, seq);

-- What became of the last attempt at events that wait no more.
CREATE TABLE tenure.ended (
  resource bigint NOT NULL,
  slot_us bigint NOT NULL,
  schedule bigint NOT NULL,
  run bigint NOT NULL,
  attempt bigint NOT NULL,
  nonce bigint NOT NULL,
  how int NOT NULL,                       -- Standing
  at_us bigint NOT NULL,
  PRIMARY KEY (resource, slot_us, schedule, run)
);
CREATE INDEX ended_at ON tenure.ended (resource, at_us);

-- Of those that others deliver; null: of the outbox.
ALTER TABLE tenure.dead ADD COLUMN name text COLLATE "C",
                        ADD COLUMN delivery tenure.delivery,
                        ADD COLUMN why text NOT NULL DEFAULT '';

CREATE TABLE tenure.history (
  resource bigint NOT NULL,
  seq bigint NOT NULL,
  schedule bigint NOT NULL,
  version bigint NOT NULL,
  slot_us bigint NOT NULL,
  run bigint NOT NULL,
  from_us bigint NOT NULL,
  to_us bigint NOT NULL,
  slots bigint NOT NULL,
  at_us bigint NOT NULL,
  what smallint NOT NULL                  -- Disposition
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE UNIQUE INDEX history_seq ON tenure.history (resource, seq);
CREATE INDEX history_schedule ON tenure.history (resource, schedule, seq);

CREATE TABLE tenure.node (
  resource bigint NOT NULL,
  node bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  name text NOT NULL,
  since_us bigint NOT NULL,
  seen_us bigint NOT NULL,
  PRIMARY KEY (resource, node)
);
CREATE UNIQUE INDEX node_key ON tenure.node (resource, key);


UPDATE tenure.meta SET schema_version = 5;
-- migration 6: consumers in the database (5_consume.sql)


UPDATE tenure.meta SET schema_version = 6;
-- migration 7: what a manual run was asked for with
-- When, by the client's clock, and a digest of the request. These defaults: a program of version 6 did not say.
ALTER TABLE tenure.run ADD COLUMN at_us bigint NOT NULL DEFAULT 9223372036854775,
                       ADD COLUMN digest bigint NOT NULL DEFAULT 0;


UPDATE tenure.meta SET schema_version = 7;
-- migration 8: dead events that somebody lets go, and claims that are given back
ALTER TABLE tenure.dead ADD COLUMN discarded_us bigint,  -- null: nobody has
                        ADD COLUMN discarded_by text NOT NULL DEFAULT '';
CREATE INDEX dead_kept ON tenure.dead (resource, seq) WHERE discarded_us IS NULL;

-- So many of the attempts were given back, and do not count.
ALTER TABLE tenure.waiting ADD COLUMN released bigint NOT NULL DEFAULT 0;


UPDATE tenure.meta SET schema_version = 8;
-- migration 9: functions that read few rows whatever was in the tables when their plans were made, and what is claimed
CREATE INDEX waiting_claimed ON tenure.waiting (resource, name, seq) WHERE claimed;


UPDATE tenure.meta SET schema_version = 9;
-- migration 10: what waits is found by its kind, by when it is over, and by whose turn it is
CREATE INDEX waiting_kind ON tenure.waiting (resource, kind, seq);
-- Events that are worked on, or wait for the next attempt. Those that nobody has tried, by how they are handed out
-- (tenure.turn_of); and where that is one at a time, by their schedules.
CREATE INDEX waiting_tried ON tenure.waiting (resource, name, claimed, until_us) WHERE attempt > 0;
CREATE INDEX waiting_fresh ON tenure.waiting (resource, name,
    (CASE WHEN (delivery).strict_order THEN 2 WHEN (delivery).overlap <> 0 THEN 1 ELSE 0 END), seq)
  WHERE kind = 1 AND attempt = 0;
CREATE INDEX waiting_turn ON tenure.waiting (resource, name,
    (CASE WHEN (delivery).strict_order THEN 2 WHEN (delivery).overlap <> 0 THEN 1 ELSE 0 END), schedule, seq)
  WHERE kind = 1 AND attempt = 0
    AND CASE WHEN (delivery).strict_order THEN 2 WHEN (delivery).overlap <> 0 THEN 1 ELSE 0 END > 0;
DROP INDEX tenure.waiting_claimed;
CREATE INDEX waiting_claimed ON tenure.waiting (resource, schedule, seq) WHERE claimed;


UPDATE tenure.meta SET schema_version = 10;
-- functions: made again whenever a migration is executed, so that they are always those of the newest version
--
-- Programs of the version before call them too: parameters and results stay as they are, and what is new has a new
-- name. (Postgres refuses to replace a function whose results differ.)
--
-- So are settings of tables. Vacuum keeps the server's own pace, although migration 1 says otherwise: without pauses it
-- writes to the log as fast as it can, and whoever commits waits for that. A leader's renewals do, too.
ALTER TABLE tenure.segment RESET (autovacuum_vacuum_cost_delay);
ALTER TABLE tenure.outbox RESET (autovacuum_vacuum_cost_delay);

-- How rows are found (docs/adr/0062). Whatever the planner believes of a table, there is one good plan alone:
--
--   1. A key is looked for in the order of its last part: `a = … AND b >= … AND b <= … ORDER BY b`. One index has this
--      order. An equation orders nothing, and to whoever takes a table for empty all indexes cost the same.
--   2. Functions forbid sorts and sequential scans. They forbid `jit`, too: what is forbidden and cannot be avoided
--      looks so dear that the server would compile the plan first, which takes a tenth of a second.
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
DROP FUNCTION IF EXISTS tenure.gaps(bigint, bigint[]);
CREATE OR REPLACE FUNCTION tenure.gaps(p_n int, p_list anyarray) RETURNS int LANGUAGE sql IMMUTABLE
AS $$ SELECT num_nulls(VARIADIC p_list) + abs(cardinality(p_list) - p_n) $$;

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


-- ---- leases: the rules are those of core/store/reference/lease.h, and cited by its numbers --------------------------

-- Why a request that shows a token must change nothing; null when it may go ahead. The numbers are those of Denial.
-- Whatever is not known to be as it must be is refused: a null among the arguments, too.
CREATE OR REPLACE FUNCTION tenure.denial(
    l tenure.lease, p_node bigint, p_life bigint, p_branch bigint, p_epoch bigint, p_nonce bigint,
    p_store_branch bigint, p_now bigint) RETURNS int
LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE
    WHEN l.resource IS NULL OR l.holder_life = 0 THEN 0
    WHEN l.holder_node IS DISTINCT FROM p_node OR l.holder_life IS DISTINCT FROM p_life THEN 1
    WHEN l.branch IS DISTINCT FROM p_branch OR l.epoch IS DISTINCT FROM p_epoch OR l.nonce IS DISTINCT FROM p_nonce
      OR l.branch IS DISTINCT FROM p_store_branch THEN 2
    WHEN (p_now < l.expires_us) IS NOT TRUE THEN 3
  END
$$;

CREATE OR REPLACE FUNCTION tenure.lease_reply_of(l tenure.lease, p_now bigint, p_why int) RETURNS tenure.lease_reply
LANGUAGE sql IMMUTABLE
AS $$
  SELECT ROW(p_now, coalesce(l.stamp, 0), p_why, coalesce(l.holder_node, 0), coalesce(l.holder_life, 0),
             coalesce(l.branch, 0), coalesce(l.epoch, 0), coalesce(l.nonce, 0),
             coalesce(l.expires_us - l.written_us, 0),
             coalesce(greatest(0, least(l.expires_us - p_now, l.expires_us - l.written_us)), 0))::tenure.lease_reply
$$;

-- Rule 4: the clock went back, and the whole promise is counted again.
CREATE OR REPLACE FUNCTION tenure.promised_again(l tenure.lease, p_now bigint)
RETURNS tenure.lease LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
  l.expires_us := least(p_now + (l.expires_us - l.written_us), 9223372036854775);
  l.written_us := p_now;
  RETURN l;
END $$;

-- Rule 3: never shorter.
CREATE OR REPLACE FUNCTION tenure.extended(l tenure.lease, p_now bigint, p_duration bigint) RETURNS tenure.lease
LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
  IF p_now < l.written_us THEN
    l := tenure.promised_again(l, p_now);
  END IF;
  l.expires_us := greatest(l.expires_us, least(p_now + p_duration, 9223372036854775));
  l.written_us := p_now;
  RETURN l;
END $$;

-- REQUIRES: the row is locked. An acquire and a release come after all that was committed under the lease before.
-- In plpgsql, which keeps its plan from call to call.
CREATE OR REPLACE FUNCTION tenure.save_lease(l tenure.lease) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE tenure.lease t
  SET holder_node = l.holder_node, holder_life = l.holder_life, epoch = l.epoch, nonce = l.nonce, branch = l.branch,
      written_us = l.written_us, expires_us = l.expires_us, stamp = l.stamp
  WHERE t.resource = l.resource;
END $$;
CREATE OR REPLACE FUNCTION tenure.next_stamp(l tenure.lease) RETURNS bigint LANGUAGE sql
AS $$ SELECT greatest(l.stamp, (SELECT stamp FROM tenure.head WHERE resource = l.resource)) + 1 $$;

CREATE OR REPLACE FUNCTION tenure.acquire(
    p_wait_ms bigint, p_resource bigint, p_node bigint, p_life bigint, p_epoch_seen bigint, p_nonce bigint,
    p_duration bigint) RETURNS tenure.lease_reply
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  l tenure.lease;
  v_now bigint;
  v_branch bigint;
  v_why int;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_node, p_life, p_epoch_seen, p_nonce, p_duration));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO l FROM tenure.lease WHERE resource = p_resource FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO tenure.head (resource) VALUES (p_resource) ON CONFLICT DO NOTHING;
    INSERT INTO tenure.lease (resource) VALUES (p_resource) ON CONFLICT DO NOTHING;
    SELECT * INTO l FROM tenure.lease WHERE resource = p_resource FOR UPDATE;
  END IF;
  v_now := tenure.now_us();  -- the lock first: who waited for it must not judge by the time before
  v_branch := tenure.branch();

  IF l.holder_life <> 0 AND l.branch <> v_branch THEN  -- rule 5
    v_why := 5;
    l.branch := v_branch;
    l := tenure.promised_again(l, v_now);
  ELSIF l.holder_life <> 0 AND v_now < l.written_us THEN  -- rule 4
    v_why := 4;
    l := tenure.promised_again(l, v_now);
  ELSIF l.holder_life <> 0 AND v_now < l.expires_us AND (l.holder_node <> p_node OR l.holder_life <> p_life) THEN
    RETURN tenure.lease_reply_of(l, v_now, 1);
  ELSIF p_epoch_seen IS DISTINCT FROM l.epoch THEN  -- rule 1
    RETURN tenure.lease_reply_of(l, v_now, 6);
  ELSIF l.holder_life <> 0 AND v_now < l.expires_us THEN
    l := tenure.extended(l, v_now, p_duration);
  ELSE
    l.holder_node := p_node;
    l.holder_life := p_life;
    l.epoch := l.epoch + 1;
    l.nonce := p_nonce;
    l.branch := v_branch;
    l.written_us := v_now;
    l.expires_us := least(v_now + p_duration, 9223372036854775);
  END IF;
  l.stamp := tenure.next_stamp(l);
  PERFORM tenure.save_lease(l);
  RETURN tenure.lease_reply_of(l, v_now, v_why);
END $$;

-- The weaker lock: fires hold the row FOR KEY SHARE, and must not keep a renewal waiting.
CREATE OR REPLACE FUNCTION tenure.renew(
    p_wait_ms bigint, p_resource bigint, p_node bigint, p_life bigint, p_branch bigint, p_epoch bigint, p_nonce bigint,
    p_duration bigint) RETURNS tenure.lease_reply
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  l tenure.lease;
  v_now bigint;
  v_why int;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_node, p_life, p_branch, p_epoch, p_nonce, p_duration));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO l FROM tenure.lease WHERE resource = p_resource FOR NO KEY UPDATE;
  v_now := tenure.now_us();
  v_why := tenure.denial(l, p_node, p_life, p_branch, p_epoch, p_nonce, tenure.branch(), v_now);
  IF v_why IS NULL THEN
    l := tenure.extended(l, v_now, p_duration);
    l.stamp := l.stamp + 1;
    PERFORM tenure.save_lease(l);
  END IF;
  RETURN tenure.lease_reply_of(l, v_now, v_why);
END $$;

CREATE OR REPLACE FUNCTION tenure.release(
    p_wait_ms bigint, p_resource bigint, p_node bigint, p_life bigint, p_branch bigint, p_epoch bigint, p_nonce bigint)
    RETURNS tenure.lease_reply
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  l tenure.lease;
  v_now bigint;
  v_why int;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_node, p_life, p_branch, p_epoch, p_nonce));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO l FROM tenure.lease WHERE resource = p_resource FOR UPDATE;
  v_now := tenure.now_us();
  v_why := tenure.denial(l, p_node, p_life, p_branch, p_epoch, p_nonce, tenure.branch(), v_now);
  IF v_why IS NULL THEN  -- rule 6: the epoch stays
    l.holder_node := 0;
    l.holder_life := 0;
    l.nonce := 0;
    l.written_us := 0;
    l.expires_us := 0;
    l.stamp := tenure.next_stamp(l);
    PERFORM tenure.save_lease(l);
    PERFORM pg_notify('tenure', 'lease_freed ' || p_resource);
  END IF;
  RETURN tenure.lease_reply_of(l, v_now, v_why);
END $$;

-- For transactions of the user's own: nobody else is granted the lease until they are over, or they fail with SQLSTATE
-- TN001: a token that is null in any part is nobody's. It runs with the rights of its owner, so that its callers need
-- none on the tables.
CREATE OR REPLACE FUNCTION tenure.assert_epoch(p_resource bigint, p_epoch bigint, p_nonce bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  l tenure.lease;
  v_why int;
BEGIN
  SELECT * INTO l FROM tenure.lease WHERE resource = p_resource FOR KEY SHARE;
  v_why := tenure.denial(l, l.holder_node, l.holder_life, tenure.branch(), p_epoch, p_nonce, tenure.branch(),
                         tenure.now_us());
  IF v_why IS NOT NULL THEN
    RAISE EXCEPTION 'not the leader of resource %: %', coalesce(p_resource::text, 'NULL'),
      CASE v_why WHEN 0 THEN 'nobody holds the lease' WHEN 3 THEN 'the lease has expired'
                 ELSE 'another term has begun' END
      USING ERRCODE = 'TN001', HINT = 'Roll back, and stop work of this term.';
  END IF;
END $$;

-- ---- what the leader writes --------------------------------------------------------------------------------------

-- How the head is looked for: `resource >= … AND resource <= … ORDER BY resource DESC LIMIT 1`, and then by its place.
-- While somebody has a snapshot open, a backup for example, all versions of the row are kept, thousands for each
-- second. An equation is searched from the oldest one on, or the whole table if it was one page when the plan was made;
-- from this end the newest one comes first. Hence enable_seqscan, too.

-- The lease and the head, locked, and the clock, in this order. `o_why`: as tenure.denial. The lease cannot change
-- hands until this commits, but it can be renewed: whoever waited for the head looks again before it calls the lease
-- expired.
DROP FUNCTION IF EXISTS tenure.lead(bigint, bigint, bigint, bigint, bigint, bigint);
CREATE FUNCTION tenure.lead(
    p_resource bigint, p_node bigint, p_life bigint, p_branch bigint, p_epoch bigint, p_nonce bigint,
    OUT o_now bigint, OUT o_stamp bigint, OUT o_why int, OUT o_held boolean, OUT o_outbox_seq bigint,
    OUT o_history_seq bigint, OUT o_floor_us bigint, OUT o_place tid)
LANGUAGE plpgsql
AS $$
DECLARE
  l tenure.lease;
BEGIN
  SELECT * INTO l FROM tenure.lease WHERE resource = p_resource FOR KEY SHARE;
  SELECT h.stamp, h.hold_since_us IS NOT NULL, h.outbox_seq, h.history_seq, h.floor_us, h.ctid
  INTO o_stamp, o_held, o_outbox_seq, o_history_seq, o_floor_us, o_place
  FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource
  ORDER BY h.resource DESC LIMIT 1 FOR NO KEY UPDATE;
  o_now := tenure.now_us();
  o_why := tenure.denial(l, p_node, p_life, p_branch, p_epoch, p_nonce, tenure.branch(), o_now);
  IF o_why = 3 THEN
    SELECT * INTO l FROM tenure.lease WHERE resource = p_resource FOR KEY SHARE;
    o_why := tenure.denial(l, p_node, p_life, p_branch, p_epoch, p_nonce, tenure.branch(), o_now);
  END IF;
  o_stamp := CASE WHEN o_why IS NULL THEN greatest(l.stamp, o_stamp) ELSE coalesce(l.stamp, 0) END;
END $$;

-- A row of the ledger that is no fire. Those that adjoin and say the same are one.
CREATE OR REPLACE FUNCTION tenure.add_exception(
    p_resource bigint, p_schedule bigint, p_version bigint, p_from bigint, p_to bigint, p_slot bigint, p_what int)
    RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  IF p_from >= p_to THEN
    RETURN;
  END IF;
  UPDATE tenure.exception e SET to_us = p_to
  WHERE e.to_us = p_from AND e.what = p_what AND e.slot_us = p_slot
    AND e.ctid = (SELECT x.ctid FROM tenure.exception x
                  WHERE x.resource = p_resource AND x.schedule = p_schedule AND x.version = p_version
                    AND x.from_us <= p_from
                  ORDER BY x.from_us DESC LIMIT 1);
  IF NOT FOUND THEN
    INSERT INTO tenure.exception VALUES (p_resource, p_schedule, p_version, p_from, p_to, p_slot, p_what)
    ON CONFLICT DO NOTHING;
  END IF;
END $$;

-- Where a fired row ends that is written as overlapped: as_overlapped (core/store/reference/segments.h).
CREATE OR REPLACE FUNCTION tenure.overlapped_to(p_to bigint, p_covered bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
AS $$ SELECT CASE WHEN p_to = 9223372036854775 THEN p_covered ELSE p_to END $$;

-- The events and the history of covered rows, row by row, where what becomes of an event that others deliver depends on
-- those before it. `p_deliveries`: how those of each row are delivered; null: by the leader's own work.
CREATE OR REPLACE FUNCTION tenure.fire_one_by_one(
    p_resource bigint, p_schedule bigint[], p_version bigint[], p_from bigint[], p_to bigint[], p_slot bigint[],
    p_covered bigint[], p_what int[], p_slots bigint[], p_results int[], p_deliveries tenure.delivery[],
    p_outbox_seq bigint, p_history_seq bigint, p_now bigint, OUT results int[], OUT fires bigint, OUT history bigint)
LANGUAGE plpgsql
AS $$
DECLARE
  d tenure.delivery;
  v_to bigint;
  v_what int;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_schedule, p_version, p_from, p_to, p_slot, p_covered, p_what,
                                       p_slots, p_results, p_deliveries, p_outbox_seq, p_history_seq, p_now));
  results := p_results;
  fires := 0;
  history := p_history_seq;
  FOR i IN 1..cardinality(results) LOOP
    CONTINUE WHEN results[i] <> 0;
    d := p_deliveries[i];
    v_what := p_what[i];
    v_to := p_to[i];
    IF d.kind IS NOT NULL THEN
      IF d.overlap IN (1, 2) AND tenure.count_waiting(p_resource, p_schedule[i]) >= d.overlap THEN
        results[i] := 4;
        v_what := 4;
        v_to := tenure.overlapped_to(v_to, p_covered[i]);
      ELSE
        IF d.overlap = 3 THEN
          history := tenure.replace_waiting(p_resource, p_schedule[i], p_now, history);
        END IF;
        IF tenure.add_waiting(p_resource, p_outbox_seq + fires + 1, p_slot[i], p_schedule[i], 0, p_version[i],
                              tenure.waits_as(p_resource, p_schedule[i], p_version[i], d), d, p_now) THEN
          fires := fires + 1;
        END IF;
      END IF;
    ELSIF v_what = 0 THEN
      fires := fires + 1;
      INSERT INTO tenure.outbox (resource, seq, slot_us, schedule, run, version, at_us)
      VALUES (p_resource, p_outbox_seq + fires, p_slot[i], p_schedule[i], 0, p_version[i], p_now);
    END IF;
    history := history + 1;
    PERFORM tenure.add_history(p_resource, history, p_schedule[i], p_version[i], v_what, p_slot[i], 0, p_from[i], v_to,
                               p_slots[i], p_now);
  END LOOP;
END $$;

-- Covers slots; `results` has the numbers of RowResult, in the order of the rows. `p_covered`: where what a row speaks
-- for ends; `p_ready`: from when on that is due.
--
-- First it is judged what becomes of each row, segment by segment as the machine does it, and then all of it is written
-- in a few statements, however many rows there are. Row by row it takes three times as long.
CREATE OR REPLACE FUNCTION tenure.commit_fires(
    p_wait_ms bigint, p_resource bigint, p_node bigint, p_life bigint, p_branch bigint, p_epoch bigint, p_nonce bigint,
    p_schedule bigint[], p_version bigint[], p_from bigint[], p_to bigint[], p_slot bigint[], p_covered bigint[],
    p_ready bigint[], p_what int[], p_slots bigint[], OUT now_us bigint, OUT stamp bigint, OUT why int,
    OUT held boolean, OUT results int[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v_lead record;
  r record;
  v_schedule bigint;
  v_version bigint;
  v_cursor bigint;         -- of the segment in hand; null: there is none
  v_place tid;             -- where it is, for as long as the head is locked
  v_last bigint[] := '{}'; -- the last covered row of each segment that stays
  v_places tid[] := '{}';
  v_gone bigint[] := '{}'; -- and of those that it drained
  v_floor bigint;          -- as it is before this; null: there are no segments
  v_fires bigint;
  v_history bigint;
  v_others int := 0;                -- how many events are delivered by others
  v_deliveries tenure.delivery[] := '{}';  -- how these are, and null for the rest
  v_one_by_one boolean := false;    -- what becomes of some of these depends on what waits
  v_rest bigint[];
  v_i bigint;
  v_n int := cardinality(p_schedule);
BEGIN
  IF num_nulls(p_resource, p_node, p_life, p_branch, p_epoch, p_nonce) +
     tenure.gaps(v_n, p_schedule) + tenure.gaps(v_n, p_version) + tenure.gaps(v_n, p_from) + tenure.gaps(v_n, p_to) +
     tenure.gaps(v_n, p_slot) + tenure.gaps(v_n, p_covered) + tenure.gaps(v_n, p_ready) + tenure.gaps(v_n, p_what) +
     tenure.gaps(v_n, p_slots) IS DISTINCT FROM 0 THEN
    PERFORM tenure.refuse_null(1);
  END IF;
  PERFORM tenure.prepare(p_wait_ms);
  v_lead := tenure.lead(p_resource, p_node, p_life, p_branch, p_epoch, p_nonce);
  now_us := v_lead.o_now;
  stamp := v_lead.o_stamp;
  why := v_lead.o_why;
  held := why IS NULL AND v_lead.o_held;
  IF why IS NOT NULL OR held THEN
    RETURN;
  END IF;

  -- Whatever the tables' statistics said when the plans were made: rows are few, and found by their keys.
  PERFORM set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true);
  SELECT s.cursor_us INTO v_floor FROM tenure.segment s
  WHERE s.resource = p_resource AND s.cursor_us >= v_lead.o_floor_us
  ORDER BY s.cursor_us, s.schedule, s.version LIMIT 1;
  results := array_fill(3, ARRAY[v_n]);
  FOR r IN
    SELECT i.*, s.cursor_us, s.end_us, s.place, s.delivery
    FROM unnest(p_schedule, p_version, p_from, p_to, p_ready) WITH ORDINALITY
           AS i (schedule, version, from_us, to_us, ready_us, n)
    CROSS JOIN LATERAL (
      SELECT x.cursor_us, x.end_us, x.ctid AS place, x.delivery FROM tenure.segment x
      WHERE x.ctid = (SELECT y.place FROM tenure.place_in_segment(p_resource, i.schedule, i.version) y)) s
    ORDER BY i.schedule, i.version, i.n
  LOOP
    IF v_schedule IS DISTINCT FROM r.schedule OR v_version IS DISTINCT FROM r.version THEN
      IF v_i IS NOT NULL THEN
        v_last := v_last || v_i;
        v_places := v_places || v_place;
      END IF;
      v_schedule := r.schedule;
      v_version := r.version;
      v_cursor := r.cursor_us;
      v_place := r.place;
      v_i := NULL;
    END IF;
    CONTINUE WHEN v_cursor IS NULL;
    IF v_cursor IS DISTINCT FROM r.from_us OR (r.to_us <= r.end_us) IS NOT TRUE THEN
      results[r.n] := 1;
    ELSIF (r.ready_us <= now_us) IS NOT TRUE THEN
      results[r.n] := 2;
    ELSE
      results[r.n] := 0;
      IF (r.delivery).kind IS NOT NULL AND p_what[r.n] = 0 THEN
        v_deliveries[r.n] := r.delivery;
        v_others := v_others + 1;
        v_one_by_one := v_one_by_one OR (r.delivery).overlap <> 0;
      END IF;
      v_i := r.n;
      v_cursor := r.to_us;
      IF r.to_us = r.end_us AND r.end_us <> 9223372036854775 THEN
        v_gone := v_gone || v_i;
        v_i := NULL;
        v_cursor := NULL;
      END IF;
    END IF;
  END LOOP;
  IF v_i IS NOT NULL THEN
    v_last := v_last || v_i;
    v_places := v_places || v_place;
  END IF;
  IF cardinality(v_last) + cardinality(v_gone) = 0 THEN
    -- What the rows were told is of the head as it is now, and the position is the lease's if that is further on:
    -- without this the next edit would be given an earlier one.
    UPDATE tenure.head h SET stamp = commit_fires.stamp
    WHERE h.resource = p_resource AND h.stamp < commit_fires.stamp;
    RETURN;
  END IF;

  UPDATE tenure.segment s SET cursor_us = p_to[i.n], covered_us = p_covered[i.n]
  FROM unnest(v_last, v_places) AS i (n, place)
  WHERE s.ctid = i.place;
  IF cardinality(v_gone) > 0 THEN
    DELETE FROM tenure.segment s WHERE s.ctid = ANY (ARRAY(
      SELECT y.place FROM unnest(v_gone) AS i (n)
      CROSS JOIN LATERAL tenure.place_in_segment(p_resource, p_schedule[i.n], p_version[i.n]) y));
    -- The version in force remembers what they had covered: it may be drawn back, but not before that.
    UPDATE tenure.segment s SET covered_us = greatest(s.covered_us, i.covered_us)
    FROM (SELECT y.ctid AS place, max(p_covered[u.n]) AS covered_us FROM unnest(v_gone) AS u (n)
          CROSS JOIN LATERAL (
            SELECT x.ctid FROM tenure.segment x
            WHERE x.resource = p_resource AND x.schedule = p_schedule[u.n] AND x.end_us = 9223372036854775
            ORDER BY x.version) y
          GROUP BY 1) i
    WHERE s.ctid = i.place;
  END IF;

  IF v_others > 0 AND NOT v_one_by_one THEN
    INSERT INTO tenure.waiting (resource, seq, slot_us, schedule, run, version, kind, name, delivery, at_us)
    SELECT p_resource, f.seq, f.slot_us, f.schedule, 0, f.version, (f.delivery).kind,
           CASE (f.delivery).kind WHEN 2 THEN (f.delivery).destination ELSE coalesce(y.topic, '') END, f.delivery,
           commit_fires.now_us
    FROM (SELECT i.schedule, i.version, i.slot_us, v_deliveries[i.n] AS delivery,
                 v_lead.o_outbox_seq + row_number() OVER (ORDER BY i.n) AS seq
          FROM unnest(p_schedule, p_version, p_slot, p_what, results) WITH ORDINALITY
                 AS i (schedule, version, slot_us, what, result, n)
          WHERE i.result = 0 AND i.what = 0) f
    LEFT JOIN LATERAL (
      SELECT p.topic FROM tenure.payload p
      WHERE p.resource = p_resource AND p.schedule = f.schedule AND p.version <= f.version AND p.last >= f.version
      ORDER BY p.version DESC LIMIT 1) y ON (f.delivery).kind = 1
    WHERE (f.delivery).kind IS NOT NULL
    ON CONFLICT (resource, slot_us, schedule, run) DO NOTHING;
    GET DIAGNOSTICS v_fires = ROW_COUNT;
    IF v_fires <> v_others THEN  -- some wait already, and take no number: once more, with other numbers
      v_one_by_one := true;
      DELETE FROM tenure.waiting x WHERE x.ctid = ANY (ARRAY(
        SELECT y.ctid FROM tenure.waiting y WHERE y.resource = p_resource AND y.seq > v_lead.o_outbox_seq
        ORDER BY y.seq));
    END IF;
  END IF;
  IF v_one_by_one THEN
    SELECT f.results, f.fires, f.history INTO results, v_fires, v_history
    FROM tenure.fire_one_by_one(p_resource, p_schedule, p_version, p_from, p_to, p_slot, p_covered, p_what, p_slots,
                                results, v_deliveries, v_lead.o_outbox_seq, v_lead.o_history_seq, now_us) f;
  ELSE
    INSERT INTO tenure.outbox (resource, seq, slot_us, schedule, run, version, at_us)
    SELECT p_resource, f.seq, f.slot_us, f.schedule, 0, f.version, commit_fires.now_us
    FROM (SELECT i.schedule, i.version, i.slot_us, i.n, v_lead.o_outbox_seq + row_number() OVER (ORDER BY i.n) AS seq
          FROM unnest(p_schedule, p_version, p_slot, p_what, results) WITH ORDINALITY
                 AS i (schedule, version, slot_us, what, result, n)
          WHERE i.result = 0 AND i.what = 0) f
    WHERE v_others = 0 OR (v_deliveries[f.n]).kind IS NULL;
    GET DIAGNOSTICS v_fires = ROW_COUNT;
    v_fires := v_fires + v_others;
    INSERT INTO tenure.history (resource, seq, schedule, version, slot_us, run, from_us, to_us, slots, at_us, what)
    SELECT p_resource, v_lead.o_history_seq + row_number() OVER (ORDER BY i.n), i.schedule, i.version, i.slot_us, 0,
           i.from_us, i.to_us, i.slots, commit_fires.now_us, i.what
    FROM unnest(p_schedule, p_version, p_from, p_to, p_slot, p_what, p_slots, results) WITH ORDINALITY
           AS i (schedule, version, from_us, to_us, slot_us, what, slots, result, n)
    WHERE i.result = 0;
    GET DIAGNOSTICS v_history = ROW_COUNT;
    v_history := v_lead.o_history_seq + v_history;
  END IF;
  v_rest := ARRAY(SELECT i.n FROM unnest(p_what, p_slots, results) WITH ORDINALITY AS i (what, slots, result, n)
                  WHERE (i.result = 0 AND (i.what <> 0 OR i.slots > 1)) OR i.result = 4 ORDER BY i.n);
  FOREACH v_i IN ARRAY v_rest LOOP
    IF results[v_i] = 4 THEN
      PERFORM tenure.add_exception(p_resource, p_schedule[v_i], p_version[v_i], p_from[v_i],
                                   tenure.overlapped_to(p_to[v_i], p_covered[v_i]), 0, 4);
    ELSIF p_what[v_i] <> 0 THEN
      PERFORM tenure.add_exception(p_resource, p_schedule[v_i], p_version[v_i], p_from[v_i], p_to[v_i], 0, p_what[v_i]);
    ELSE  -- the other slots of the row that fired were coalesced into its own
      PERFORM tenure.add_exception(p_resource, p_schedule[v_i], p_version[v_i], p_from[v_i], p_slot[v_i],
                                   p_slot[v_i], 1);
      PERFORM tenure.add_exception(p_resource, p_schedule[v_i], p_version[v_i], p_slot[v_i] + 1, p_to[v_i],
                                   p_slot[v_i], 1);
    END IF;
  END LOOP;
  stamp := stamp + 1;
  UPDATE tenure.head h
  SET outbox_seq = h.outbox_seq + v_fires, history_seq = v_history, stamp = commit_fires.stamp,
      floor_us = coalesce(v_floor, h.floor_us)
  WHERE h.ctid = v_lead.o_place;
END $$;

-- One row that is one fire: most of what a leader with few schedules ever sends. Its arguments are no lists, because to
-- take lists of one element apart costs as much as to write what they say.
--
-- Here is only what happens almost always: the token is good, nothing is on hold, and the fire moves the cursor of a
-- segment that goes on. Whatever else it is, it goes the way of the lists, which judges it anew under the same locks.
-- What is done is what tenure.prepare and tenure.lead do, in their order. But it is written out, and the head is
-- locked by the update that a fire ends with: each statement and each call costs a tenth of what is on top of the rows.
CREATE OR REPLACE FUNCTION tenure.commit_fire(
    p_wait_ms bigint, p_resource bigint, p_node bigint, p_life bigint, p_branch bigint, p_epoch bigint, p_nonce bigint,
    p_schedule bigint, p_version bigint, p_from bigint, p_to bigint, p_slot bigint, p_covered bigint, p_ready bigint,
    OUT now_us bigint, OUT stamp bigint, OUT why int, OUT held boolean, OUT results int[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v_said text;
  v_expires bigint;
  v_seq bigint;
  v_history bigint;
BEGIN
  IF num_nulls(p_wait_ms, p_resource, p_node, p_life, p_branch, p_epoch, p_nonce, p_schedule, p_version, p_from, p_to,
               p_slot, p_covered, p_ready) > 0
     OR current_setting('synchronous_commit') = 'off' THEN
    PERFORM tenure.refuse_null(num_nulls(p_resource, p_node, p_life, p_branch, p_epoch, p_nonce, p_schedule, p_version,
                                         p_from, p_to, p_slot, p_covered, p_ready));
    PERFORM tenure.prepare(p_wait_ms);
  END IF;
  v_said := set_config('lock_timeout', p_wait_ms::text, true);
  SELECT l.expires_us, l.stamp INTO v_expires, stamp FROM tenure.lease l
  WHERE l.resource = p_resource AND l.holder_node = p_node AND l.holder_life = p_life AND l.branch = p_branch
    AND l.epoch = p_epoch AND l.nonce = p_nonce
  FOR KEY SHARE;
  IF FOUND THEN
    UPDATE tenure.head h
    SET outbox_seq = h.outbox_seq + 1, history_seq = h.history_seq + 1,
        stamp = greatest(h.stamp, commit_fire.stamp) + 1
    WHERE h.hold_since_us IS NULL
      AND h.ctid = (SELECT x.ctid FROM tenure.head x WHERE x.resource >= p_resource AND x.resource <= p_resource
                    ORDER BY x.resource DESC LIMIT 1)
    RETURNING h.outbox_seq, h.history_seq, h.stamp, tenure.now_us(), false, ARRAY[0]
    INTO v_seq, v_history, stamp, now_us, held, results;
    IF now_us < v_expires AND p_ready <= now_us AND p_branch = tenure.branch() THEN
      UPDATE tenure.segment s SET cursor_us = p_to, covered_us = p_covered
      WHERE s.ctid = (SELECT x.place FROM tenure.place_in_segment(p_resource, p_schedule, p_version) x)
        AND s.cursor_us = p_from AND (s.end_us > p_to OR s.end_us = 9223372036854775) AND s.delivery IS NULL;
      IF FOUND THEN
        INSERT INTO tenure.outbox (resource, seq, slot_us, schedule, run, version, at_us)
        VALUES (p_resource, v_seq, p_slot, p_schedule, 0, p_version, now_us);
        INSERT INTO tenure.history (resource, seq, schedule, version, slot_us, run, from_us, to_us, slots, at_us, what)
        VALUES (p_resource, v_history, p_schedule, p_version, p_slot, 0, p_from, p_to, 1, now_us, 0);
        RETURN;
      END IF;
    END IF;
    IF v_seq IS NOT NULL THEN  -- the numbers are for the next event
      UPDATE tenure.head h SET outbox_seq = v_seq - 1, history_seq = v_history - 1 WHERE h.resource = p_resource;
    END IF;
  END IF;
  SELECT f.now_us, f.stamp, f.why, f.held, f.results INTO now_us, stamp, why, held, results
  FROM tenure.commit_fires(p_wait_ms, p_resource, p_node, p_life, p_branch, p_epoch, p_nonce, ARRAY[p_schedule],
                           ARRAY[p_version], ARRAY[p_from], ARRAY[p_to], ARRAY[p_slot], ARRAY[p_covered],
                           ARRAY[p_ready], ARRAY[0], ARRAY[1::bigint]) f;
END $$;

-- Sets a hold, or with p_set false clears it.
CREATE OR REPLACE FUNCTION tenure.hold(
    p_wait_ms bigint, p_resource bigint, p_node bigint, p_life bigint, p_branch bigint, p_epoch bigint, p_nonce bigint,
    p_set boolean, p_jump_ns bigint, OUT now_us bigint, OUT stamp bigint, OUT why int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v_lead record;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_node, p_life, p_branch, p_epoch, p_nonce, p_set, p_jump_ns));
  PERFORM tenure.prepare(p_wait_ms);
  v_lead := tenure.lead(p_resource, p_node, p_life, p_branch, p_epoch, p_nonce);
  now_us := v_lead.o_now;
  stamp := v_lead.o_stamp;
  why := v_lead.o_why;
  IF why IS NULL THEN
    stamp := stamp + 1;
    UPDATE tenure.head h
    SET hold_since_us = CASE WHEN p_set THEN v_lead.o_now END, hold_jump_ns = CASE WHEN p_set THEN p_jump_ns END,
        stamp = hold.stamp
    WHERE h.resource = p_resource;
    IF NOT p_set THEN
      -- What is claimed stands for its whole time anew, and what waits for a time of the future waits anew.
      UPDATE tenure.waiting x SET until_us = hold.now_us + x.until_us - x.from_us, from_us = hold.now_us
      WHERE x.resource = p_resource AND x.attempt > 0 AND (x.claimed OR x.from_us > hold.now_us);
      UPDATE tenure.head h SET attempts_us = hold.now_us WHERE h.resource = p_resource;
      PERFORM tenure.draw_back(p_resource, now_us);
    END IF;
  END IF;
END $$;

-- Events out of the outbox; false: none of them was there. Who calls holds the head.
CREATE OR REPLACE FUNCTION tenure.take_out(
    p_resource bigint, p_schedule bigint[], p_slot bigint[], p_run bigint[]) RETURNS boolean LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource)),
          tenure.refuse_null(tenure.gaps(cardinality(p_schedule), p_schedule) +
                             tenure.gaps(cardinality(p_schedule), p_slot) +
                             tenure.gaps(cardinality(p_schedule), p_run));
  DELETE FROM tenure.outbox o WHERE o.ctid = ANY (ARRAY(
    SELECT y.place FROM unnest(p_schedule, p_slot, p_run) AS i (schedule, slot_us, run)
    CROSS JOIN LATERAL tenure.place_in_outbox(p_resource, i.schedule, i.slot_us, i.run) y));
  RETURN FOUND;
END $$;

-- As programs of version 4 ask for it, who know of the outbox alone; the same holds for tenure.give_up.
CREATE OR REPLACE FUNCTION tenure.acknowledge(
    p_wait_ms bigint, p_resource bigint, p_schedule bigint[], p_slot bigint[], p_run bigint[], OUT now_us bigint,
    OUT stamp bigint, OUT changed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v_place tid;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource)),
          tenure.refuse_null(tenure.gaps(cardinality(p_schedule), p_schedule) +
                             tenure.gaps(cardinality(p_schedule), p_slot) +
                             tenure.gaps(cardinality(p_schedule), p_run));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT h.stamp, h.ctid INTO stamp, v_place
  FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource
  ORDER BY h.resource DESC LIMIT 1 FOR NO KEY UPDATE;
  now_us := tenure.now_us();
  changed := tenure.take_out(p_resource, p_schedule, p_slot, p_run);
  IF changed THEN
    UPDATE tenure.head h SET stamp = h.stamp + 1 WHERE h.ctid = v_place RETURNING h.stamp INTO stamp;
  END IF;
END $$;

-- Events out of the outbox, to be kept as dead.
CREATE OR REPLACE FUNCTION tenure.give_up(
    p_wait_ms bigint, p_resource bigint, p_node bigint, p_life bigint, p_branch bigint, p_epoch bigint, p_nonce bigint,
    p_schedule bigint[], p_slot bigint[], p_run bigint[], p_attempts bigint[],
    OUT now_us bigint, OUT stamp bigint, OUT why int, OUT changed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v_lead record;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_node, p_life, p_branch, p_epoch, p_nonce)),
          tenure.refuse_null(tenure.gaps(cardinality(p_schedule), p_schedule) +
                             tenure.gaps(cardinality(p_schedule), p_slot) +
                             tenure.gaps(cardinality(p_schedule), p_run) +
                             tenure.gaps(cardinality(p_schedule), p_attempts));
  PERFORM tenure.prepare(p_wait_ms);
  v_lead := tenure.lead(p_resource, p_node, p_life, p_branch, p_epoch, p_nonce);
  now_us := v_lead.o_now;
  stamp := v_lead.o_stamp;
  why := v_lead.o_why;
  changed := false;
  IF why IS NOT NULL THEN
    RETURN;
  END IF;
  INSERT INTO tenure.dead (resource, seq, slot_us, schedule, run, attempts, since_us, version)
  SELECT DISTINCT ON (o.seq) p_resource, o.seq, o.slot_us, o.schedule, o.run, i.attempts, now_us, o.version
  FROM unnest(p_schedule, p_slot, p_run, p_attempts) WITH ORDINALITY AS i (schedule, slot_us, run, attempts, n)
  CROSS JOIN LATERAL (
    SELECT x.* FROM tenure.outbox x
    WHERE x.ctid = (SELECT y.place FROM tenure.place_in_outbox(p_resource, i.schedule, i.slot_us, i.run) y)) o
  ORDER BY o.seq, i.n;
  changed := tenure.take_out(p_resource, p_schedule, p_slot, p_run);
  IF changed THEN
    stamp := stamp + 1;
  END IF;
  UPDATE tenure.head h SET stamp = give_up.stamp WHERE h.ctid = v_lead.o_place AND h.stamp < give_up.stamp;
END $$;

-- The end of retention (core/store/reference/reference_store.h, rule 8): of the ledger, the feed, the manual runs and the dead events
-- what ended first, p_limit rows at most. The newest change always stays.
CREATE OR REPLACE FUNCTION tenure.forget_all(
    p_wait_ms bigint, p_resource bigint, p_before bigint, p_limit bigint, p_keep_history bigint, OUT now_us bigint,
    OUT stamp bigint, OUT forgotten bigint, OUT deleted bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v_head tenure.head;
  v_n bigint;
  v_first bigint;  -- of the history, that stays
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_before, p_limit, p_keep_history));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO v_head FROM tenure.head h WHERE h.resource = p_resource FOR NO KEY UPDATE;
  now_us := tenure.now_us();
  DELETE FROM tenure.exception e WHERE e.ctid = ANY (ARRAY(
    SELECT x.ctid FROM tenure.exception x WHERE x.resource = p_resource AND x.to_us <= p_before
    ORDER BY x.to_us, x.schedule, x.version, x.from_us LIMIT p_limit));
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  DELETE FROM tenure.change c WHERE c.ctid = ANY (ARRAY(
    SELECT x.ctid FROM tenure.change x
    WHERE x.resource = p_resource AND x.ended_us <= p_before AND x.ended_us < 9223372036854775
      AND x.seq <> v_head.change_seq
      AND NOT EXISTS (SELECT FROM tenure.segment s
                      WHERE s.resource = p_resource AND s.schedule = x.schedule AND s.version = x.version)
    ORDER BY x.ended_us, x.seq LIMIT p_limit - forgotten));
  GET DIAGNOSTICS v_n = ROW_COUNT;
  forgotten := forgotten + v_n;
  DELETE FROM tenure.run r WHERE r.ctid = ANY (ARRAY(
    SELECT x.ctid FROM tenure.run x WHERE x.resource = p_resource AND x.asked_us < p_before
    ORDER BY x.asked_us, x.schedule, x.run < 0, x.run LIMIT p_limit - forgotten));
  GET DIAGNOSTICS v_n = ROW_COUNT;
  forgotten := forgotten + v_n;
  DELETE FROM tenure.dead d WHERE d.ctid = ANY (ARRAY(
    SELECT x.ctid FROM tenure.dead x WHERE x.resource = p_resource AND x.since_us <= p_before
    ORDER BY x.since_us, x.seq LIMIT p_limit - forgotten));
  GET DIAGNOSTICS v_n = ROW_COUNT;
  forgotten := forgotten + v_n;
  -- An event of version 0 is given the last payload of its schedule.
  DELETE FROM tenure.payload p WHERE p.ctid = ANY (ARRAY(
    SELECT x.ctid FROM tenure.payload x
    WHERE x.resource = p_resource AND x.ended_us <= p_before AND x.last < 4294967295
      AND NOT EXISTS (SELECT FROM tenure.segment s WHERE s.resource = p_resource AND s.schedule = x.schedule
                      AND s.version BETWEEN x.version AND x.last)
      AND NOT EXISTS (SELECT FROM tenure.outbox o WHERE o.resource = p_resource AND o.schedule = x.schedule
                      AND (o.version = 0 OR o.version BETWEEN x.version AND x.last))
      AND NOT EXISTS (SELECT FROM tenure.waiting w WHERE w.resource = p_resource AND w.schedule = x.schedule
                      AND w.version BETWEEN x.version AND x.last)
      AND NOT EXISTS (SELECT FROM tenure.dead d WHERE d.resource = p_resource AND d.schedule = x.schedule
                      AND (d.version = 0 OR d.version BETWEEN x.version AND x.last))
    ORDER BY x.ended_us, x.schedule, x.version LIMIT p_limit - forgotten));
  GET DIAGNOSTICS v_n = ROW_COUNT;
  forgotten := forgotten + v_n;
  DELETE FROM tenure.ended e WHERE e.ctid = ANY (ARRAY(
    SELECT x.ctid FROM tenure.ended x WHERE x.resource = p_resource AND x.at_us <= p_before
    ORDER BY x.at_us, x.schedule, x.slot_us, x.run < 0, x.run LIMIT p_limit - forgotten));
  GET DIAGNOSTICS v_n = ROW_COUNT;
  forgotten := forgotten + v_n;
  -- Of the history from the first row on, while it is too old or there are too many.
  SELECT coalesce(min(y.seq), v_head.history_seq + 1) INTO v_first
  FROM (SELECT x.seq, x.at_us FROM tenure.history x WHERE x.resource = p_resource
        ORDER BY x.seq LIMIT p_limit - forgotten) y
  WHERE y.at_us > p_before AND y.seq > v_head.history_seq - p_keep_history;
  DELETE FROM tenure.history x WHERE x.ctid = ANY (ARRAY(
    SELECT y.ctid FROM tenure.history y WHERE y.resource = p_resource AND y.seq < v_first
    ORDER BY y.seq LIMIT p_limit - forgotten));
  GET DIAGNOSTICS v_n = ROW_COUNT;
  forgotten := forgotten + v_n;
  DELETE FROM tenure.node d WHERE d.ctid = ANY (ARRAY(
    SELECT x.ctid FROM tenure.node x WHERE x.resource = p_resource AND x.seen_us <= p_before
    ORDER BY x.seen_us, x.node LIMIT p_limit - forgotten));
  GET DIAGNOSTICS v_n = ROW_COUNT;
  forgotten := forgotten + v_n;
  deleted := tenure.delete_finished(p_wait_ms, p_resource, p_before, p_limit - forgotten);
  forgotten := forgotten + deleted;
  stamp := v_head.stamp;
  IF forgotten > 0 THEN
    UPDATE tenure.head h SET stamp = h.stamp + 1 WHERE h.resource = p_resource RETURNING h.stamp INTO stamp;
  END IF;
END $$;

-- Schedules that have had no slot left since p_before or longer, and whose events are delivered or dead.
CREATE OR REPLACE FUNCTION tenure.delete_finished(
    p_wait_ms bigint, p_resource bigint, p_before bigint, p_limit bigint) RETURNS bigint LANGUAGE plpgsql
AS $$
DECLARE
  g record;
  r tenure.edit_reply;
  v_deleted bigint := 0;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_wait_ms, p_resource, p_before, p_limit));
  FOR g IN
    SELECT x.schedule, x.version FROM tenure.segment x
    WHERE x.resource = p_resource AND x.cursor_us = 9223372036854775 AND x.end_us = 9223372036854775
      AND greatest(x.begin_us, x.covered_us) <= p_before
      AND NOT EXISTS (SELECT FROM tenure.segment o WHERE o.resource = p_resource AND o.schedule = x.schedule
                      AND o.version <> x.version)
      AND NOT EXISTS (SELECT FROM tenure.waiting w WHERE w.resource = p_resource AND w.schedule = x.schedule)
      AND NOT EXISTS (SELECT FROM tenure.outbox o WHERE o.resource = p_resource AND o.schedule = x.schedule)
    ORDER BY greatest(x.begin_us, x.covered_us), x.schedule LIMIT p_limit
  LOOP
    r := tenure.remove(p_wait_ms, p_resource, g.schedule, g.version, g.version, 9223372036854775, 9223372036854775);
    UPDATE tenure.change c SET actor = 'retention' WHERE c.resource = p_resource AND c.seq = r.change_seq;
    v_deleted := v_deleted + 1;
  END LOOP;
  RETURN v_deleted;
END $$;

-- As programs of version 4 ask for it.
CREATE OR REPLACE FUNCTION tenure.forget(
    p_wait_ms bigint, p_resource bigint, p_before bigint, p_limit bigint, OUT now_us bigint, OUT stamp bigint,
    OUT forgotten bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  SELECT f.now_us, f.stamp, f.forgotten INTO now_us, stamp, forgotten
  FROM tenure.forget_all(p_wait_ms, p_resource, p_before, p_limit, 10000000) f;
END $$;

-- As programs of version 2 ask for it: without a limit.
CREATE OR REPLACE FUNCTION tenure.prune(
    p_wait_ms bigint, p_resource bigint, p_before bigint, OUT now_us bigint, OUT stamp bigint, OUT forgotten bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  SELECT f.now_us, f.stamp, f.forgotten INTO now_us, stamp, forgotten
  FROM tenure.forget(p_wait_ms, p_resource, p_before, 9223372036854775807) f;
END $$;

-- ---- what clients do to schedules ---------------------------------------------------------------------------------

-- Where the last thing ends that any version of a schedule has covered.
CREATE OR REPLACE FUNCTION tenure.covered_us(p_resource bigint, p_schedule bigint) RETURNS bigint LANGUAGE sql STABLE
AS $$ SELECT coalesce(max(y.covered_us), 0)
      FROM (SELECT g.covered_us FROM tenure.segment g
            WHERE g.resource = p_resource AND g.schedule = p_schedule ORDER BY g.version) y $$;

-- No closed segment of a schedule reaches beyond p_at.
CREATE OR REPLACE FUNCTION tenure.cut(p_resource bigint, p_schedule bigint, p_at bigint) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE tenure.segment g SET end_us = p_at
  WHERE g.ctid = ANY (ARRAY(SELECT y.place FROM tenure.places_in_segment(p_resource, p_schedule) y))
    AND g.end_us > p_at AND g.end_us <> 9223372036854775;
  DELETE FROM tenure.segment g
  WHERE g.ctid = ANY (ARRAY(SELECT y.place FROM tenure.places_in_segment(p_resource, p_schedule) y))
    AND g.cursor_us >= g.end_us AND g.end_us <> 9223372036854775;
END $$;

-- Versions that begin in the store's future were edited while the clock was ahead: they begin now, or where the last
-- slot was covered (core/store/reference/reference_store.h, rule 9). Who calls holds the head.
CREATE OR REPLACE FUNCTION tenure.draw_back(p_resource bigint, p_now bigint) RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
  r record;
  v_covered bigint;
  v_at bigint;
BEGIN
  FOR r IN
    SELECT g.schedule, g.version, g.begin_us FROM tenure.segment g
    WHERE g.resource = p_resource AND g.begin_us > p_now AND g.end_us = 9223372036854775
  LOOP
    v_covered := tenure.covered_us(p_resource, r.schedule);
    v_at := greatest(p_now, v_covered);
    CONTINUE WHEN r.begin_us <= v_at;
    UPDATE tenure.segment g SET begin_us = v_at, cursor_us = v_at, covered_us = v_covered
    WHERE g.ctid = (SELECT y.place FROM tenure.place_in_segment(p_resource, r.schedule, r.version) y);
    PERFORM tenure.cut(p_resource, r.schedule, v_at);
    UPDATE tenure.schedule s SET since_us = v_at WHERE s.resource = p_resource AND s.schedule = r.schedule;
    UPDATE tenure.head h SET floor_us = v_at WHERE h.resource = p_resource AND h.floor_us > v_at;
  END LOOP;
END $$;

-- What an edit has to know beforehand (adapters/store/slot_search.h). `version`: 0 when there is no such schedule.
CREATE OR REPLACE FUNCTION tenure.look(
    p_resource bigint, p_schedule bigint, OUT now_us bigint, OUT version bigint, OUT cursor_us bigint,
    OUT covered_us bigint, OUT definition text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_schedule));
  SELECT s.version, g.cursor_us, tenure.covered_us(p_resource, p_schedule), c.definition INTO version, cursor_us, covered_us, definition
  FROM tenure.schedule s
  LEFT JOIN tenure.segment g
    ON g.ctid = (SELECT y.place FROM tenure.place_in_segment(s.resource, s.schedule, s.version) y) AND NOT s.deleted
  LEFT JOIN tenure.change c ON c.resource = s.resource AND c.seq = s.change_seq AND NOT s.deleted
  WHERE s.resource = p_resource AND s.schedule = p_schedule;
  version := coalesce(version, 0);
  now_us := tenure.now_us();
END $$;

-- Everything that is one of a kind, locked; then the clock.
CREATE OR REPLACE FUNCTION tenure.edit(
    p_resource bigint, p_schedule bigint, OUT o_head tenure.head, OUT o_schedule tenure.schedule, OUT o_now bigint)
LANGUAGE plpgsql
AS $$
BEGIN
  SELECT * INTO o_head FROM tenure.head WHERE resource = p_resource FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    INSERT INTO tenure.head (resource) VALUES (p_resource) ON CONFLICT DO NOTHING;
    SELECT * INTO o_head FROM tenure.head WHERE resource = p_resource FOR NO KEY UPDATE;
  END IF;
  o_now := tenure.now_us();
  SELECT * INTO o_schedule FROM tenure.schedule WHERE resource = p_resource AND schedule = p_schedule;
END $$;

CREATE OR REPLACE FUNCTION tenure.edit_reply_of(
    p_now bigint, p_stamp bigint, p_outcome int, p_why int, p_version bigint, p_change_seq bigint, p_since bigint)
    RETURNS tenure.edit_reply
LANGUAGE sql IMMUTABLE
AS $$ SELECT ROW(p_now, p_stamp, p_outcome, p_why, p_version, p_change_seq, p_since)::tenure.edit_reply $$;

CREATE OR REPLACE FUNCTION tenure.append_change(
    h tenure.head, s tenure.schedule, p_begin bigint, p_end bigint, p_cursor bigint, p_definition text) RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO tenure.change
  VALUES (s.resource, s.change_seq, s.schedule, s.version, p_begin, p_end, p_cursor, s.deleted, p_end, p_definition);
  INSERT INTO tenure.schedule VALUES (s.*)
  ON CONFLICT (resource, schedule) DO UPDATE
  SET version = s.version, change_seq = s.change_seq, since_us = s.since_us, deleted = s.deleted,
      pause_actor = s.pause_actor, pause_why = s.pause_why, pause_us = s.pause_us;
  UPDATE tenure.head SET change_seq = s.change_seq, stamp = h.stamp + 1 WHERE resource = s.resource;
  PERFORM pg_notify('tenure', 'schedules_changed ' || s.resource);
END $$;

-- Closes the segment in force at p_end; it stays only if it has a slot left.
CREATE OR REPLACE FUNCTION tenure.close(s tenure.schedule, p_end bigint, p_left bigint) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_end, p_left));
  IF p_left < p_end THEN
    UPDATE tenure.segment g SET end_us = p_end
    WHERE g.ctid = (SELECT y.place FROM tenure.place_in_segment(s.resource, s.schedule, s.version) y);
  ELSE
    DELETE FROM tenure.segment g
    WHERE g.ctid = (SELECT y.place FROM tenure.place_in_segment(s.resource, s.schedule, s.version) y);
  END IF;
  PERFORM tenure.cut(s.resource, s.schedule, p_end);
  UPDATE tenure.change SET ended_us = p_end WHERE resource = s.resource AND seq = s.change_seq;
END $$;

-- p_version and p_cursor: as they were when p_left, the next slot of the version in force, was searched. p_first is the
-- new version's first slot from p_from on.
CREATE OR REPLACE FUNCTION tenure.put(
    p_wait_ms bigint, p_resource bigint, p_schedule bigint, p_expected bigint, p_definition text, p_version bigint,
    p_cursor bigint, p_left bigint, p_from bigint, p_first bigint)
RETURNS tenure.edit_reply LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v record;
  h tenure.head;
  s tenure.schedule;
  v_begin bigint;
  v_covered bigint;
  v_found tenure.segment;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_schedule, p_expected, p_definition, p_version, p_cursor, p_left,
                                       p_from, p_first));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO v FROM tenure.edit(p_resource, p_schedule);
  h := v.o_head;
  s := v.o_schedule;
  IF s.resource IS NULL AND p_expected <> 0 THEN
    RETURN tenure.edit_reply_of(v.o_now, h.stamp, 2, 0, 0, 0, 0);
  END IF;
  IF NOT s.deleted AND s.version = p_expected + 1 AND p_definition = (
       SELECT c.definition FROM tenure.change c WHERE c.resource = p_resource AND c.seq = s.change_seq) THEN
    RETURN tenure.edit_reply_of(v.o_now, h.stamp, 1, 0, s.version, s.change_seq, s.since_us);
  END IF;
  IF s.deleted THEN
    RETURN tenure.edit_reply_of(v.o_now, h.stamp, 2, 1, s.version, 0, 0);
  END IF;
  IF coalesce(s.version, 0) IS DISTINCT FROM p_expected THEN
    RETURN tenure.edit_reply_of(v.o_now, h.stamp, 2, 2, s.version, 0, 0);
  END IF;

  v_begin := v.o_now;
  v_covered := tenure.covered_us(p_resource, p_schedule);
  IF p_expected > 0 THEN
    SELECT * INTO v_found FROM tenure.segment g
    WHERE g.ctid = (SELECT y.place FROM tenure.place_in_segment(p_resource, p_schedule, s.version) y);
    v_begin := greatest(v.o_now, v_covered);
  END IF;
  IF p_version <> p_expected OR (p_expected > 0 AND p_cursor IS DISTINCT FROM v_found.cursor_us)
     OR (v_begin BETWEEN p_from AND p_first) IS NOT TRUE THEN
    RETURN tenure.edit_reply_of(v.o_now, h.stamp, 3, 0, 0, 0, 0);
  END IF;
  IF p_expected > 0 THEN
    PERFORM tenure.close(s, v_begin, p_left);
  END IF;
  s.resource := p_resource;
  s.schedule := p_schedule;
  s.version := p_expected + 1;
  s.change_seq := h.change_seq + 1;
  s.since_us := v_begin;
  s.deleted := false;
  s.pause_actor := '';
  s.pause_why := '';
  s.pause_us := v_begin;
  INSERT INTO tenure.segment (resource, schedule, version, begin_us, cursor_us, covered_us, delivery)
  VALUES (p_resource, p_schedule, s.version, v_begin, p_first, v_covered, tenure.delivery_of(p_definition));
  UPDATE tenure.head t SET floor_us = p_first WHERE t.resource = p_resource AND t.floor_us > p_first;
  PERFORM tenure.append_change(h, s, v_begin, 9223372036854775, p_first, p_definition);
  RETURN tenure.edit_reply_of(v.o_now, h.stamp + 1, 0, 0, s.version, s.change_seq, v_begin);
END $$;

CREATE OR REPLACE FUNCTION tenure.remove(
    p_wait_ms bigint, p_resource bigint, p_schedule bigint, p_expected bigint, p_version bigint, p_cursor bigint,
    p_left bigint)
RETURNS tenure.edit_reply LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v record;
  h tenure.head;
  s tenure.schedule;
  g tenure.segment;
  v_end bigint;
  v_history bigint;
  v_definition text;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_schedule, p_expected, p_version, p_cursor, p_left));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO v FROM tenure.edit(p_resource, p_schedule);
  h := v.o_head;
  s := v.o_schedule;
  IF s.resource IS NULL THEN
    RETURN tenure.edit_reply_of(v.o_now, h.stamp, 2, 0, 0, 0, 0);
  ELSIF s.deleted AND s.version = p_expected THEN
    RETURN tenure.edit_reply_of(v.o_now, h.stamp, 1, 0, s.version, s.change_seq, s.since_us);
  ELSIF s.deleted THEN
    RETURN tenure.edit_reply_of(v.o_now, h.stamp, 2, 1, s.version, 0, 0);
  ELSIF s.version IS DISTINCT FROM p_expected THEN
    RETURN tenure.edit_reply_of(v.o_now, h.stamp, 2, 2, s.version, 0, 0);
  END IF;

  SELECT * INTO g FROM tenure.segment x
  WHERE x.ctid = (SELECT y.place FROM tenure.place_in_segment(p_resource, p_schedule, s.version) y);
  IF p_version IS DISTINCT FROM s.version OR p_cursor IS DISTINCT FROM g.cursor_us THEN
    RETURN tenure.edit_reply_of(v.o_now, h.stamp, 3, 0, 0, 0, 0);
  END IF;
  v_end := greatest(v.o_now, tenure.covered_us(p_resource, p_schedule));
  PERFORM tenure.close(s, v_end, p_left);
  FOR g IN
    WITH gone AS (
      DELETE FROM tenure.segment x
      WHERE x.ctid = ANY (ARRAY(SELECT y.place FROM tenure.places_in_segment(p_resource, p_schedule) y)) RETURNING *)
    SELECT * FROM gone y ORDER BY y.version
  LOOP
    PERFORM tenure.add_exception(p_resource, p_schedule, g.version, g.cursor_us, g.end_us, 0, 5);
    UPDATE tenure.head t SET history_seq = t.history_seq + 1 WHERE t.resource = p_resource
    RETURNING t.history_seq INTO v_history;
    PERFORM tenure.add_history(p_resource, v_history, p_schedule, g.version, 5, 0, 0, g.cursor_us, g.end_us, 0,
                               v.o_now);
  END LOOP;
  SELECT c.definition INTO v_definition FROM tenure.change c WHERE c.resource = p_resource AND c.seq = s.change_seq;
  UPDATE tenure.payload p SET last = s.version, ended_us = v_end
  WHERE p.resource = p_resource AND p.schedule = p_schedule AND p.last = 4294967295;
  s.deleted := true;
  s.since_us := v_end;
  s.change_seq := h.change_seq + 1;
  PERFORM tenure.append_change(h, s, v_end, v_end, v_end, v_definition);
  RETURN tenure.edit_reply_of(v.o_now, h.stamp + 1, 0, 0, s.version, s.change_seq, v_end);
END $$;

-- Manual runs: one event for each of p_slots. A trigger has one, and it may be in the future; a backfill's must have
-- come. p_at: 9223372036854775 of a program that does not say; p_digest: 0.
CREATE OR REPLACE FUNCTION tenure.begin_run(
    p_wait_ms bigint, p_resource bigint, p_schedule bigint, p_run bigint, p_slots bigint[], p_backfill boolean,
    p_at bigint, p_digest bigint, OUT reply tenure.edit_reply, OUT first_at_us bigint)
LANGUAGE plpgsql
AS $$
DECLARE
  v record;
  h tenure.head;
  s tenure.schedule;
  r tenure.run;
  v_delivery tenure.delivery;
  v_slot bigint;
  v_added boolean;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_schedule, p_run, p_backfill, p_at, p_digest)),
          tenure.refuse_null(tenure.gaps(cardinality(p_slots), p_slots));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO v FROM tenure.edit(p_resource, p_schedule);
  h := v.o_head;
  s := v.o_schedule;
  IF s.resource IS NULL THEN
    reply := tenure.edit_reply_of(v.o_now, h.stamp, 2, 0, 0, 0, 0);
    RETURN;
  ELSIF s.deleted THEN
    reply := tenure.edit_reply_of(v.o_now, h.stamp, 2, 1, s.version, 0, 0);
    RETURN;
  ELSIF p_backfill AND EXISTS (SELECT FROM unnest(p_slots) AS i (slot_us) WHERE i.slot_us > v.o_now) THEN
    reply := tenure.edit_reply_of(v.o_now, h.stamp, 2, 3, s.version, 0, 0);
    RETURN;
  END IF;
  INSERT INTO tenure.run (resource, schedule, run, asked_us, at_us, digest)
  VALUES (p_resource, p_schedule, p_run, v.o_now, p_at, p_digest) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    SELECT * INTO r FROM tenure.run x
    WHERE x.resource = p_resource AND x.schedule = p_schedule AND x.run >= p_run AND x.run <= p_run
    ORDER BY x.run LIMIT 1;
    IF r.digest <> p_digest AND r.digest <> 0 AND p_digest <> 0 THEN
      reply := tenure.edit_reply_of(v.o_now, h.stamp, 2, 7, s.version, 0, 0);
    ELSE
      reply := tenure.edit_reply_of(v.o_now, h.stamp, 1, 0, s.version, s.change_seq, s.since_us);
      first_at_us := nullif(nullif(r.at_us, p_at), 9223372036854775);
    END IF;
    RETURN;
  END IF;
  v_delivery := (SELECT g.delivery FROM tenure.segment g
                 WHERE g.ctid = (SELECT y.place FROM tenure.place_in_segment(p_resource, p_schedule, s.version) y));
  -- One that waits already, or is asked for twice, is one event.
  FOR v_slot IN
    SELECT u.slot_us FROM unnest(p_slots) WITH ORDINALITY AS u (slot_us, n) GROUP BY 1 ORDER BY min(u.n)
  LOOP
    IF v_delivery.kind IS NOT NULL THEN
      v_added := tenure.add_waiting(p_resource, h.outbox_seq + 1, v_slot, p_schedule, p_run, s.version,
                                    tenure.waits_as(p_resource, p_schedule, s.version, v_delivery), v_delivery,
                                    v.o_now);
    ELSE
      INSERT INTO tenure.outbox (resource, seq, slot_us, schedule, run, version, at_us)
      VALUES (p_resource, h.outbox_seq + 1, v_slot, p_schedule, p_run, s.version, v.o_now)
      ON CONFLICT (resource, slot_us, schedule, run) DO NOTHING;
      v_added := FOUND;
    END IF;
    IF v_added THEN
      h.outbox_seq := h.outbox_seq + 1;
      h.history_seq := h.history_seq + 1;
      PERFORM tenure.add_history(p_resource, h.history_seq, p_schedule, s.version, 0, v_slot, p_run, v_slot, v_slot,
                                 0, v.o_now);
    END IF;
  END LOOP;
  h.stamp := h.stamp + 1;
  UPDATE tenure.head t SET outbox_seq = h.outbox_seq, history_seq = h.history_seq, stamp = h.stamp
  WHERE t.resource = p_resource;
  reply := tenure.edit_reply_of(v.o_now, h.stamp, 0, 0, s.version, s.change_seq, s.since_us);
END $$;

CREATE OR REPLACE FUNCTION tenure.run_once(
    p_wait_ms bigint, p_resource bigint, p_schedule bigint, p_run bigint, p_slots bigint[], p_backfill boolean,
    p_at bigint, p_digest bigint, OUT now_us bigint, OUT stamp bigint, OUT outcome int, OUT why int, OUT version bigint,
    OUT change_seq bigint, OUT since_us bigint, OUT first_at_us bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v record;
BEGIN
  v := tenure.begin_run(p_wait_ms, p_resource, p_schedule, p_run, p_slots, p_backfill, p_at, p_digest);
  SELECT (v.reply).*, v.first_at_us INTO now_us, stamp, outcome, why, version, change_seq, since_us, first_at_us;
END $$;

-- As programs of version 6 ask for it, who do not say what they were asked.
CREATE OR REPLACE FUNCTION tenure.run(
    p_wait_ms bigint, p_resource bigint, p_schedule bigint, p_run bigint, p_slots bigint[], p_backfill boolean)
RETURNS tenure.edit_reply LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  RETURN (tenure.begin_run(p_wait_ms, p_resource, p_schedule, p_run, p_slots, p_backfill,
                           CASE WHEN p_backfill THEN 9223372036854775 ELSE p_slots[1] END, 0)).reply;
END $$;

-- ---- schedules by name (core/store/reference/named.h) --------------------------------------------------------------

-- The schedule of that name that is not deleted.
CREATE OR REPLACE FUNCTION tenure.named(p_resource bigint, p_name text) RETURNS tenure.schedule LANGUAGE sql STABLE
AS $$ SELECT s.* FROM tenure.schedule s
      WHERE s.resource = p_resource AND NOT s.deleted
        AND coalesce(s.name, s.schedule::text COLLATE "C") >= p_name
        AND coalesce(s.name, s.schedule::text COLLATE "C") <= p_name
      ORDER BY coalesce(s.name, s.schedule::text COLLATE "C") LIMIT 1 $$;

-- As tenure.look. `schedule`: -1 when nothing has the name.
CREATE OR REPLACE FUNCTION tenure.look_named(
    p_resource bigint, p_name text, OUT now_us bigint, OUT version bigint, OUT cursor_us bigint,
    OUT covered_us bigint, OUT definition text, OUT schedule bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_name));
  schedule := coalesce((tenure.named(p_resource, p_name)).schedule, -1);
  SELECT l.now_us, l.version, l.cursor_us, l.covered_us, l.definition
  INTO now_us, version, cursor_us, covered_us, definition FROM tenure.look(p_resource, schedule) l;
END $$;

-- The payload of a version; of version 0 that of the last one.
CREATE OR REPLACE FUNCTION tenure.payload_of(p_resource bigint, p_schedule bigint, p_version bigint)
    RETURNS tenure.payload LANGUAGE sql STABLE
AS $$ SELECT y.* FROM (
        SELECT p.* FROM tenure.payload p
        WHERE p.resource = p_resource AND p.schedule = p_schedule
          AND p.version <= CASE p_version WHEN 0 THEN 4294967295 ELSE p_version END
        ORDER BY p.version DESC LIMIT 1) y
      WHERE p_version = 0 OR y.last >= p_version $$;

-- Of a schedule whose version began at p_at.
CREATE OR REPLACE FUNCTION tenure.put_payload(
    p_resource bigint, p_schedule bigint, p_version bigint, p_at bigint, p_topic text, p_type text, p_data text,
    p_labels text, p_description text) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_schedule, p_version, p_at, p_topic, p_type, p_data, p_labels,
                                       p_description));
  UPDATE tenure.payload p SET last = p_version - 1, ended_us = p_at
  WHERE p.resource = p_resource AND p.schedule = p_schedule AND p.last = 4294967295;
  IF (p_topic, p_type, p_data, p_labels, p_description) IS DISTINCT FROM ('', '', '', '{}', '') THEN
    INSERT INTO tenure.payload (resource, schedule, version, topic, type, data, labels, description)
    VALUES (p_resource, p_schedule, p_version, p_topic, p_type, p_data, p_labels, p_description);
  END IF;
END $$;

-- p_uid and p_expected: the edition that the client has seen; -1 and 0 to create. p_schedule, p_version and what
-- follows: as looked_named found it (-1 and 0: nothing has the name), and as for tenure.put.
CREATE OR REPLACE FUNCTION tenure.put_named(
    p_wait_ms bigint, p_resource bigint, p_name text, p_uid bigint, p_expected bigint, p_definition text, p_topic text,
    p_type text, p_data text, p_labels text, p_description text, p_actor text, p_schedule bigint, p_version bigint,
    p_cursor bigint, p_left bigint, p_from bigint, p_first bigint, OUT now_us bigint, OUT stamp bigint, OUT outcome int,
    OUT why int, OUT version bigint, OUT change_seq bigint, OUT since_us bigint, OUT schedule bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v record;
  h tenure.head;
  s tenure.schedule;
  r tenure.edit_reply;
  y tenure.payload;
  v_uid bigint;
  v_same boolean;
  v_payload boolean;  -- it stays as it is
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_name, p_uid, p_expected, p_definition, p_topic, p_type, p_data,
                                       p_labels, p_description, p_actor, p_schedule, p_version, p_cursor, p_left,
                                       p_from, p_first));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO v FROM tenure.edit(p_resource, -1);
  h := v.o_head;
  now_us := v.o_now;
  stamp := h.stamp;
  why := 0;
  s := tenure.named(p_resource, p_name);
  version := coalesce(s.version, 0);
  change_seq := s.change_seq;
  since_us := s.since_us;
  schedule := coalesce(s.schedule, 0);
  outcome := 3;
  IF coalesce(s.schedule, -1) IS DISTINCT FROM p_schedule OR version IS DISTINCT FROM p_version THEN
    RETURN;
  END IF;
  outcome := 2;
  y := tenure.payload_of(p_resource, s.schedule, s.version);
  v_payload := (p_topic, p_type, p_data, p_labels, p_description) IS NOT DISTINCT FROM
               (coalesce(y.topic, ''), coalesce(y.type, ''), coalesce(y.data, ''), coalesce(y.labels, '{}'),
                coalesce(y.description, ''));
  v_uid := s.schedule;
  IF s.schedule IS NULL THEN
    IF p_uid <> -1 THEN
      RETURN;
    END IF;
    SELECT coalesce(max(x.schedule), 0) + 1 INTO v_uid FROM tenure.schedule x WHERE x.resource = p_resource;
    IF v_uid > 4294967295 THEN
      why := 5;
      RETURN;
    END IF;
  ELSE
    v_same := p_uid IN (-1, s.schedule);
    IF v_same AND s.version = p_expected + 1 AND v_payload AND p_definition = (
         SELECT c.definition FROM tenure.change c WHERE c.resource = p_resource AND c.seq = s.change_seq) THEN
      outcome := 1;
      RETURN;
    END IF;
    why := CASE WHEN p_uid = -1 THEN 4 ELSE 2 END;
    IF p_uid = -1 OR NOT v_same OR s.version <> p_expected THEN
      RETURN;
    END IF;
  END IF;

  r := tenure.put(p_wait_ms, p_resource, v_uid, p_expected, p_definition, p_version, p_cursor, p_left, p_from,
                  p_first);
  now_us := r.now_us;
  stamp := r.stamp;
  outcome := r.outcome;
  IF outcome <> 0 THEN
    RETURN;
  END IF;
  version := r.version;
  change_seq := r.change_seq;
  since_us := r.since_us;
  schedule := v_uid;
  UPDATE tenure.change c SET actor = p_actor WHERE c.resource = p_resource AND c.seq = r.change_seq;
  IF p_uid = -1 THEN
    UPDATE tenure.schedule x SET name = p_name WHERE x.resource = p_resource AND x.schedule = v_uid;
  ELSE  -- whether it is paused, and by whom, stays as it was
    UPDATE tenure.schedule x
    SET pause_actor = s.pause_actor, pause_why = s.pause_why, pause_us = coalesce(s.pause_us, s.since_us)
    WHERE x.resource = p_resource AND x.schedule = v_uid;
  END IF;
  IF NOT v_payload THEN
    PERFORM tenure.put_payload(p_resource, v_uid, r.version, r.since_us, p_topic, p_type, p_data, p_labels,
                               p_description);
  END IF;
END $$;

-- p_version and what follows: as tenure.look found the schedule p_uid.
CREATE OR REPLACE FUNCTION tenure.remove_named(
    p_wait_ms bigint, p_resource bigint, p_name text, p_uid bigint, p_expected bigint, p_actor text, p_version bigint,
    p_cursor bigint, p_left bigint, OUT now_us bigint, OUT stamp bigint, OUT outcome int, OUT why int,
    OUT version bigint, OUT change_seq bigint, OUT since_us bigint, OUT schedule bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v record;
  h tenure.head;
  s tenure.schedule;
  r tenure.edit_reply;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_name, p_uid, p_expected, p_actor, p_version, p_cursor, p_left));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO v FROM tenure.edit(p_resource, p_uid);
  h := v.o_head;
  s := v.o_schedule;
  now_us := v.o_now;
  stamp := h.stamp;
  why := 0;
  outcome := 2;
  IF s.deleted AND s.version = p_expected AND coalesce(s.name, s.schedule::text COLLATE "C") = p_name THEN
    outcome := 1;
  ELSE
    s := tenure.named(p_resource, p_name);
  END IF;
  version := coalesce(s.version, 0);
  change_seq := s.change_seq;
  since_us := s.since_us;
  schedule := coalesce(s.schedule, 0);
  IF outcome = 1 OR s.schedule IS NULL THEN
    RETURN;
  ELSIF s.schedule <> p_uid OR s.version <> p_expected THEN
    why := 2;
    RETURN;
  END IF;
  r := tenure.remove(p_wait_ms, p_resource, p_uid, p_expected, p_version, p_cursor, p_left);
  now_us := r.now_us;
  stamp := r.stamp;
  outcome := r.outcome;
  change_seq := r.change_seq;
  since_us := r.since_us;
  IF outcome = 0 THEN
    UPDATE tenure.change c SET actor = p_actor WHERE c.resource = p_resource AND c.seq = r.change_seq;
  END IF;
END $$;

-- p_todo: 0 an edit, to p_definition; 1 nothing, it is so already; 2 it cannot be done, because the program cannot read
-- the definition. p_what: LogAction. The rest as for tenure.put_named.
CREATE OR REPLACE FUNCTION tenure.pause_named(
    p_wait_ms bigint, p_resource bigint, p_name text, p_todo int, p_what int, p_definition text, p_actor text,
    p_why text, p_schedule bigint, p_version bigint, p_cursor bigint, p_left bigint, p_from bigint, p_first bigint,
    OUT now_us bigint, OUT stamp bigint, OUT outcome int, OUT why int, OUT version bigint, OUT change_seq bigint,
    OUT since_us bigint, OUT schedule bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v record;
  h tenure.head;
  s tenure.schedule;
  r tenure.edit_reply;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_name, p_todo, p_what, p_definition, p_actor, p_why, p_schedule,
                                       p_version, p_cursor, p_left, p_from, p_first));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO v FROM tenure.edit(p_resource, -1);
  h := v.o_head;
  now_us := v.o_now;
  stamp := h.stamp;
  s := tenure.named(p_resource, p_name);
  version := coalesce(s.version, 0);
  change_seq := s.change_seq;
  since_us := s.since_us;
  schedule := coalesce(s.schedule, 0);
  why := CASE WHEN p_todo = 2 THEN 6 ELSE 0 END;
  outcome := CASE WHEN p_todo = 1 THEN 1 ELSE 2 END;
  IF coalesce(s.schedule, -1) IS DISTINCT FROM p_schedule OR version IS DISTINCT FROM p_version THEN
    outcome := 3;
    RETURN;
  ELSIF s.schedule IS NULL THEN
    why := 0;
    outcome := 2;
    RETURN;
  ELSIF p_todo <> 0 THEN
    RETURN;
  END IF;
  r := tenure.put(p_wait_ms, p_resource, s.schedule, s.version, p_definition, p_version, p_cursor, p_left, p_from,
                  p_first);
  now_us := r.now_us;
  stamp := r.stamp;
  outcome := r.outcome;
  version := r.version;
  change_seq := r.change_seq;
  since_us := r.since_us;
  IF outcome = 0 THEN
    UPDATE tenure.change c SET what = p_what, actor = p_actor, why = p_why
    WHERE c.resource = p_resource AND c.seq = r.change_seq;
    UPDATE tenure.schedule x SET pause_actor = p_actor, pause_why = p_why, pause_us = r.since_us
    WHERE x.resource = p_resource AND x.schedule = s.schedule;
  END IF;
END $$;

-- The schedule p_name (p_one), or those after that name, without their data. Names have nothing beyond `z`.
CREATE OR REPLACE FUNCTION tenure.schedules(
    p_resource bigint, p_name text, p_one boolean, p_limit bigint, OUT now_us bigint, OUT stamp bigint,
    OUT names text[], OUT schedules bigint[], OUT versions bigint[], OUT since bigint[], OUT actors text[],
    OUT whys text[], OUT pauses bigint[], OUT definitions text[], OUT topics text[], OUT types text[],
    OUT datas text[], OUT labels text[], OUT descriptions text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_name, p_one, p_limit));
  SELECT h.stamp INTO stamp FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource
  ORDER BY h.resource DESC LIMIT 1;
  SELECT array_agg(e.called), array_agg(e.schedule), array_agg(e.version), array_agg(e.since_us),
         array_agg(e.pause_actor), array_agg(e.pause_why), array_agg(coalesce(e.pause_us, e.since_us)),
         array_agg(c.definition), array_agg(coalesce(y.topic, '')), array_agg(coalesce(y.type, '')),
         array_agg(CASE WHEN p_one THEN coalesce(y.data, '') ELSE '' END), array_agg(coalesce(y.labels, '{}')),
         array_agg(coalesce(y.description, ''))
  INTO names, schedules, versions, since, actors, whys, pauses, definitions, topics, types, datas, labels, descriptions
  FROM (SELECT s.*, coalesce(s.name, s.schedule::text COLLATE "C") AS called FROM tenure.schedule s
        WHERE s.resource = p_resource AND NOT s.deleted
          AND coalesce(s.name, s.schedule::text COLLATE "C") >= p_name
          AND coalesce(s.name, s.schedule::text COLLATE "C") <= CASE WHEN p_one THEN p_name ELSE '~' END
          AND (p_one OR coalesce(s.name, s.schedule::text COLLATE "C") <> p_name)
        ORDER BY coalesce(s.name, s.schedule::text COLLATE "C") LIMIT p_limit) e
  CROSS JOIN LATERAL (
    SELECT x.definition FROM tenure.change x WHERE x.resource = e.resource AND x.seq = e.change_seq OFFSET 0) c
  LEFT JOIN LATERAL tenure.payload_of(e.resource, e.schedule, e.version) y ON true;
  now_us := tenure.now_us();
END $$;

-- Of events that wait or are dead. A version of -1: neither.
CREATE OR REPLACE FUNCTION tenure.payloads(
    p_resource bigint, p_schedule bigint[], p_slot bigint[], p_run bigint[], OUT now_us bigint, OUT stamp bigint,
    OUT versions bigint[], OUT names text[], OUT topics text[], OUT types text[], OUT datas text[], OUT labels text[],
    OUT descriptions text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource)),
          tenure.refuse_null(tenure.gaps(cardinality(p_schedule), p_schedule) +
                             tenure.gaps(cardinality(p_schedule), p_slot) +
                             tenure.gaps(cardinality(p_schedule), p_run));
  SELECT h.stamp INTO stamp FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource
  ORDER BY h.resource DESC LIMIT 1;
  SELECT array_agg(e.version ORDER BY e.n), array_agg(coalesce(s.name, s.schedule::text, '') ORDER BY e.n),
         array_agg(coalesce(y.topic, '') ORDER BY e.n), array_agg(coalesce(y.type, '') ORDER BY e.n),
         array_agg(coalesce(y.data, '') ORDER BY e.n), array_agg(coalesce(y.labels, '{}') ORDER BY e.n),
         array_agg(coalesce(y.description, '') ORDER BY e.n)
  INTO versions, names, topics, types, datas, labels, descriptions
  FROM (SELECT i.schedule, i.n,
               coalesce((SELECT w.version FROM tenure.waiting w WHERE w.ctid = (
                           SELECT y.place FROM tenure.place_in_waiting(p_resource, i.schedule, i.slot_us, i.run) y)),
                        (SELECT o.version FROM tenure.outbox o WHERE o.ctid = (
                           SELECT y.place FROM tenure.place_in_outbox(p_resource, i.schedule, i.slot_us, i.run) y)),
                        (SELECT max(d.version) FROM tenure.dead d WHERE d.ctid = ANY (ARRAY(
                           SELECT y.place FROM tenure.places_in_dead(p_resource, i.schedule, i.slot_us, i.run) y))),
                        -1) AS version
        FROM unnest(p_schedule, p_slot, p_run) WITH ORDINALITY AS i (schedule, slot_us, run, n) OFFSET 0) e
  LEFT JOIN LATERAL (
    SELECT x.name, x.schedule FROM tenure.schedule x
    WHERE x.resource = p_resource AND x.schedule = e.schedule OFFSET 0) s ON e.version >= 0
  -- As tenure.payload_of, whose call costs more than what it finds.
  LEFT JOIN LATERAL (
    SELECT x.* FROM tenure.payload x
    WHERE x.resource = p_resource AND x.schedule = e.schedule
      AND x.version <= CASE e.version WHEN 0 THEN 4294967295 ELSE e.version END
    ORDER BY x.version DESC LIMIT 1) y ON e.version = 0 OR (e.version > 0 AND y.last >= e.version);
  now_us := tenure.now_us();
END $$;

CREATE OR REPLACE FUNCTION tenure.log(
    p_resource bigint, p_after bigint, p_limit bigint, OUT now_us bigint, OUT stamp bigint, OUT seqs bigint[],
    OUT names text[], OUT schedules bigint[], OUT versions bigint[], OUT whats int[], OUT actors text[],
    OUT whys text[], OUT since bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_after, p_limit));
  SELECT h.stamp INTO stamp FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource
  ORDER BY h.resource DESC LIMIT 1;
  SELECT array_agg(e.seq ORDER BY e.seq), array_agg(coalesce(s.name, s.schedule::text) ORDER BY e.seq),
         array_agg(e.schedule ORDER BY e.seq), array_agg(e.version ORDER BY e.seq),
         array_agg(CASE WHEN e.deleted THEN 3 ELSE e.what END ORDER BY e.seq), array_agg(e.actor ORDER BY e.seq),
         array_agg(e.why ORDER BY e.seq), array_agg(e.begin_us ORDER BY e.seq)
  INTO seqs, names, schedules, versions, whats, actors, whys, since
  FROM (SELECT * FROM tenure.change c WHERE c.resource = p_resource AND c.seq > p_after
        ORDER BY c.seq LIMIT p_limit) e
  CROSS JOIN LATERAL (
    SELECT x.name, x.schedule FROM tenure.schedule x
    WHERE x.resource = e.resource AND x.schedule = e.schedule OFFSET 0) s;
  now_us := tenure.now_us();
END $$;

-- ---- events that others deliver: the rules are those of core/store/reference/waiting.h, and cited by its numbers -----

-- How a definition's events are delivered; null: by the leader's own work. What is left out is as in
-- core/schedule/definition.h.
CREATE OR REPLACE FUNCTION tenure.delivery_of(p_definition text) RETURNS tenure.delivery LANGUAGE plpgsql IMMUTABLE
AS $$
DECLARE
  d jsonb;
  v tenure.delivery;
BEGIN
  IF position('"delivery"' IN p_definition) = 0 THEN
    RETURN NULL;
  END IF;
  d := p_definition::jsonb;
  v.overlap := CASE d->>'overlap' WHEN 'allow' THEN 0 WHEN 'skip' THEN 1 WHEN 'queue_one' THEN 2 ELSE 3 END;
  d := d->'delivery';
  v.kind := CASE d->>'kind' WHEN 'pull' THEN 1 WHEN 'push' THEN 2 END;
  IF v.kind IS NULL THEN
    RETURN NULL;
  END IF;
  v.destination := coalesce(d->>'destination', '');
  v.strict_order := coalesce((d->>'strict_order')::boolean, false);
  v.attempts := coalesce((d->>'attempts')::bigint, 10);
  v.back_off_us := coalesce((d->>'back_off_ns')::bigint / 1000, 1000000);
  v.longest_us := coalesce((d->>'longest_back_off_ns')::bigint / 1000, 300000000);
  RETURN v;
END $$;

-- How long an event waits after the attempt p_failed.
CREATE OR REPLACE FUNCTION tenure.back_off_us(d tenure.delivery, p_failed bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE
AS $$
DECLARE
  v_wait bigint := d.back_off_us;
BEGIN
  FOR n IN 2..p_failed LOOP
    EXIT WHEN v_wait >= d.longest_us;
    v_wait := v_wait * 2;
  END LOOP;
  RETURN least(v_wait, d.longest_us);
END $$;

-- False: the event waits already.
CREATE OR REPLACE FUNCTION tenure.add_waiting(
    p_resource bigint, p_seq bigint, p_slot bigint, p_schedule bigint, p_run bigint, p_version bigint, p_name text,
    p_delivery tenure.delivery, p_now bigint) RETURNS boolean LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO tenure.waiting (resource, seq, slot_us, schedule, run, version, kind, name, delivery, at_us)
  VALUES (p_resource, p_seq, p_slot, p_schedule, p_run, p_version, (p_delivery).kind, p_name, p_delivery, p_now)
  ON CONFLICT (resource, slot_us, schedule, run) DO NOTHING;
  RETURN FOUND;
END $$;

-- Under which name an event of the version waits: its topic or its destination.
CREATE OR REPLACE FUNCTION tenure.waits_as(
    p_resource bigint, p_schedule bigint, p_version bigint, p_delivery tenure.delivery) RETURNS text LANGUAGE plpgsql
AS $$
BEGIN
  IF (p_delivery).kind = 2 THEN
    RETURN (p_delivery).destination;
  END IF;
  RETURN coalesce((SELECT y.topic FROM tenure.payload_of(p_resource, p_schedule, p_version) y), '');
END $$;

CREATE OR REPLACE FUNCTION tenure.add_history(
    p_resource bigint, p_seq bigint, p_schedule bigint, p_version bigint, p_what int, p_slot bigint, p_run bigint,
    p_from bigint, p_to bigint, p_slots bigint, p_now bigint) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO tenure.history (resource, seq, schedule, version, slot_us, run, from_us, to_us, slots, at_us, what)
  VALUES (p_resource, p_seq, p_schedule, p_version, p_slot, p_run, p_from, p_to, p_slots, p_now, p_what);
END $$;

-- How many of a schedule's events wait: 2 stands for as many or more.
CREATE OR REPLACE FUNCTION tenure.count_waiting(p_resource bigint, p_schedule bigint) RETURNS bigint LANGUAGE sql STABLE
AS $$
  SELECT count(*) FROM (
    SELECT FROM tenure.waiting x WHERE x.resource = p_resource AND x.schedule >= p_schedule AND x.schedule <= p_schedule
    ORDER BY x.schedule, x.seq LIMIT 2) y
$$;

-- It waits no more. If it was tried, that is remembered. p_how: Standing; a dead one (4) is kept.
CREATE OR REPLACE FUNCTION tenure.finish(w tenure.waiting, p_how int, p_now bigint) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM tenure.waiting x
  WHERE x.ctid = (SELECT y.place FROM tenure.place_in_waiting(w.resource, w.schedule, w.slot_us, w.run) y);
  IF w.attempt > 0 THEN
    INSERT INTO tenure.ended AS e (resource, slot_us, schedule, run, attempt, nonce, how, at_us)
    VALUES (w.resource, w.slot_us, w.schedule, w.run, w.attempt, w.nonce, p_how, p_now)
    ON CONFLICT (resource, slot_us, schedule, run)
    DO UPDATE SET attempt = w.attempt, nonce = w.nonce, how = p_how, at_us = p_now;
  END IF;
  IF p_how = 4 THEN
    PERFORM tenure.bury(w, p_now);
  END IF;
END $$;
CREATE OR REPLACE FUNCTION tenure.bury(w tenure.waiting, p_now bigint) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO tenure.dead (resource, seq, slot_us, schedule, run, attempts, since_us, version, name, delivery, why)
  VALUES (w.resource, w.seq, w.slot_us, w.schedule, w.run, w.attempt - w.released, p_now, w.version, w.name,
          w.delivery, w.why);
END $$;

-- A slot of the schedule fires (invariant 4). Returns the last number of the history, of which p_history was the one
-- before.
CREATE OR REPLACE FUNCTION tenure.replace_waiting(
    p_resource bigint, p_schedule bigint, p_now bigint, p_history bigint) RETURNS bigint LANGUAGE plpgsql
AS $$
DECLARE
  w tenure.waiting;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_schedule, p_now, p_history));
  FOR w IN
    SELECT * FROM tenure.waiting x
    WHERE x.resource = p_resource AND x.schedule >= p_schedule AND x.schedule <= p_schedule AND x.run = 0
      AND x.kind = 1
    ORDER BY x.schedule, x.seq
  LOOP
    IF w.claimed AND p_now < w.until_us THEN
      UPDATE tenure.waiting x SET cancelled = true
      WHERE x.ctid = (SELECT y.place FROM tenure.place_in_waiting(p_resource, w.schedule, w.slot_us, w.run) y);
    ELSE
      PERFORM tenure.finish(w, 5, p_now);
      p_history := p_history + 1;
      PERFORM tenure.add_history(p_resource, p_history, w.schedule, w.version, 6, w.slot_us, w.run, w.slot_us,
                                 w.slot_us, 0, p_now);
    END IF;
  END LOOP;
  RETURN p_history;
END $$;

-- Standing of an attempt that has ended, and may be followed by another: after a failure an event always waits.
CREATE OR REPLACE FUNCTION tenure.when_over(w tenure.waiting) RETURNS bigint LANGUAGE sql IMMUTABLE
AS $$ SELECT CASE WHEN w.until_us = w.from_us THEN 8 ELSE 2 END::bigint $$;

-- What is known of an attempt that is not the last one at an event that waits: Standing.
CREATE OR REPLACE FUNCTION tenure.remembered(
    p_resource bigint, p_schedule bigint, p_slot bigint, p_run bigint, p_attempt bigint, p_nonce bigint) RETURNS int
LANGUAGE sql STABLE
AS $$
  SELECT CASE
    WHEN EXISTS (SELECT FROM tenure.place_in_waiting(p_resource, p_schedule, p_slot, p_run)) THEN 6
    ELSE coalesce((SELECT CASE WHEN e.attempt = p_attempt AND e.nonce = p_nonce THEN e.how ELSE 6 END
                   FROM tenure.ended e WHERE e.ctid = (
                     SELECT y.place FROM tenure.place_in_ended(p_resource, p_schedule, p_slot, p_run) y)), 7)
  END
$$;

-- p_duration: 0 for as long as it was claimed for, or extended by the last heartbeat.
CREATE OR REPLACE FUNCTION tenure.extend_attempts(
    p_wait_ms bigint, p_resource bigint, p_duration bigint, p_schedule bigint[], p_slot bigint[], p_run bigint[],
    p_attempt bigint[], p_nonce bigint[], OUT now_us bigint, OUT stamp bigint, OUT changed boolean,
    OUT standings bigint[], OUT untils bigint[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  h tenure.head;
  w tenure.waiting;
  v_place tid;
  v_standing bigint;
  v_until bigint;
  v_n int := cardinality(p_schedule);
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_duration)),
          tenure.refuse_null(tenure.gaps(v_n, p_schedule) + tenure.gaps(v_n, p_slot) + tenure.gaps(v_n, p_run) +
                             tenure.gaps(v_n, p_attempt) + tenure.gaps(v_n, p_nonce));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO h FROM tenure.head x WHERE x.resource >= p_resource AND x.resource <= p_resource
  ORDER BY x.resource DESC LIMIT 1 FOR NO KEY UPDATE;
  now_us := tenure.now_us();
  stamp := h.stamp;
  changed := false;
  FOR i IN 1..v_n LOOP
    SELECT y.place INTO v_place FROM tenure.place_in_waiting(p_resource, p_schedule[i], p_slot[i], p_run[i]) y;
    SELECT * INTO w FROM tenure.waiting x WHERE x.ctid = v_place;
    v_until := 0;
    IF (w.attempt > 0 AND w.attempt = p_attempt[i] AND w.nonce = p_nonce[i]) IS NOT TRUE THEN
      v_standing := tenure.remembered(p_resource, p_schedule[i], p_slot[i], p_run[i], p_attempt[i], p_nonce[i]);
    ELSIF NOT w.claimed THEN
      v_standing := tenure.when_over(w);
      v_until := w.until_us;
    ELSE
      v_standing := w.cancelled::int;
      v_until := now_us + CASE WHEN p_duration = 0 THEN w.until_us - w.from_us ELSE p_duration END;
      UPDATE tenure.waiting x SET from_us = extend_attempts.now_us, until_us = v_until WHERE x.ctid = v_place;
      changed := true;
    END IF;
    standings := standings || v_standing;
    untils := untils || v_until;
  END LOOP;
  IF changed THEN
    UPDATE tenure.head x SET attempts_us = greatest(x.attempts_us, extend_attempts.now_us), stamp = x.stamp + 1
    WHERE x.resource = p_resource RETURNING x.stamp INTO stamp;
  END IF;
END $$;

-- p_failed: 0 completed, 1 failed, 2 given back.
CREATE OR REPLACE FUNCTION tenure.end_attempts(
    p_wait_ms bigint, p_resource bigint, p_schedule bigint[], p_slot bigint[], p_run bigint[], p_attempt bigint[],
    p_nonce bigint[], p_failed bigint[], p_why text[], OUT now_us bigint, OUT stamp bigint, OUT changed boolean,
    OUT standings bigint[], OUT untils bigint[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  h tenure.head;
  w tenure.waiting;
  v_place tid;
  v_standing bigint;
  v_until bigint;
  v_n int := cardinality(p_schedule);
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource)),
          tenure.refuse_null(tenure.gaps(v_n, p_schedule) + tenure.gaps(v_n, p_slot) + tenure.gaps(v_n, p_run) +
                             tenure.gaps(v_n, p_attempt) + tenure.gaps(v_n, p_nonce) + tenure.gaps(v_n, p_failed) +
                             tenure.gaps(v_n, p_why));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO h FROM tenure.head x WHERE x.resource >= p_resource AND x.resource <= p_resource
  ORDER BY x.resource DESC LIMIT 1 FOR NO KEY UPDATE;
  now_us := tenure.now_us();
  stamp := h.stamp;
  changed := false;
  FOR i IN 1..v_n LOOP
    SELECT y.place INTO v_place FROM tenure.place_in_waiting(p_resource, p_schedule[i], p_slot[i], p_run[i]) y;
    SELECT * INTO w FROM tenure.waiting x WHERE x.ctid = v_place;
    v_until := 0;
    IF (w.attempt > 0 AND w.attempt = p_attempt[i] AND w.nonce = p_nonce[i]) IS NOT TRUE THEN
      v_standing := tenure.remembered(p_resource, p_schedule[i], p_slot[i], p_run[i], p_attempt[i], p_nonce[i]);
    ELSIF p_failed[i] = 0 THEN
      v_standing := 3;
      PERFORM tenure.finish(w, 3, now_us);
      changed := true;
    ELSIF NOT w.claimed THEN
      v_standing := tenure.when_over(w);
      v_until := w.until_us;
    ELSIF w.cancelled OR (p_failed[i] = 1 AND w.attempt - w.released >= (w.delivery).attempts) THEN
      v_standing := CASE WHEN w.cancelled THEN 5 ELSE 4 END;
      w.why := p_why[i];
      PERFORM tenure.finish(w, v_standing::int, now_us);
      IF w.cancelled THEN
        h.history_seq := h.history_seq + 1;
        PERFORM tenure.add_history(p_resource, h.history_seq, w.schedule, w.version, 6, w.slot_us, w.run, w.slot_us,
                                   w.slot_us, 0, now_us);
      END IF;
      changed := true;
    ELSIF p_failed[i] = 2 THEN
      v_standing := 8;
      v_until := now_us;
      UPDATE tenure.waiting x
      SET claimed = false, from_us = end_attempts.now_us, until_us = v_until, released = w.released + 1
      WHERE x.ctid = v_place;
      h.attempts_us := greatest(h.attempts_us, now_us);
      changed := true;
    ELSE
      v_standing := 2;
      v_until := now_us + tenure.back_off_us(w.delivery, w.attempt - w.released);
      UPDATE tenure.waiting x
      SET claimed = false, from_us = end_attempts.now_us, until_us = v_until, why = p_why[i]
      WHERE x.ctid = v_place;
      h.attempts_us := greatest(h.attempts_us, now_us);
      changed := true;
    END IF;
    standings := standings || v_standing;
    untils := untils || v_until;
  END LOOP;
  IF changed THEN
    UPDATE tenure.head x SET attempts_us = h.attempts_us, history_seq = h.history_seq, stamp = x.stamp + 1
    WHERE x.resource = p_resource RETURNING x.stamp INTO stamp;
  END IF;
END $$;

-- What programs of version 7 call, which may go on beside newer ones. They do not know that an attempt can be given back
-- (8), and would look for its name where there is none. To them it has failed.
CREATE OR REPLACE FUNCTION tenure.extend(
    p_wait_ms bigint, p_resource bigint, p_duration bigint, p_schedule bigint[], p_slot bigint[], p_run bigint[],
    p_attempt bigint[], p_nonce bigint[], OUT now_us bigint, OUT stamp bigint, OUT changed boolean,
    OUT standings bigint[], OUT untils bigint[])
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  SELECT x.now_us, x.stamp, x.changed, array_replace(x.standings, 8::bigint, 2::bigint), x.untils
  FROM tenure.extend_attempts(p_wait_ms, p_resource, p_duration, p_schedule, p_slot, p_run, p_attempt, p_nonce) x
$$;
CREATE OR REPLACE FUNCTION tenure.end_executions(
    p_wait_ms bigint, p_resource bigint, p_schedule bigint[], p_slot bigint[], p_run bigint[], p_attempt bigint[],
    p_nonce bigint[], p_failed bigint[], p_why text[], OUT now_us bigint, OUT stamp bigint, OUT changed boolean,
    OUT standings bigint[], OUT untils bigint[])
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  SELECT x.now_us, x.stamp, x.changed, array_replace(x.standings, 8::bigint, 2::bigint), x.untils
  FROM tenure.end_attempts(p_wait_ms, p_resource, p_schedule, p_slot, p_run, p_attempt, p_nonce, p_failed, p_why) x
$$;

-- Delivered events, out of the outbox and out of what waits. `claimed`: how many stayed, because their claims stand.
CREATE OR REPLACE FUNCTION tenure.acknowledge_events(
    p_wait_ms bigint, p_resource bigint, p_schedule bigint[], p_slot bigint[], p_run bigint[], OUT now_us bigint,
    OUT stamp bigint, OUT changed boolean, OUT claimed bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  h tenure.head;
  w tenure.waiting;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource)),
          tenure.refuse_null(tenure.gaps(cardinality(p_schedule), p_schedule) +
                             tenure.gaps(cardinality(p_schedule), p_slot) +
                             tenure.gaps(cardinality(p_schedule), p_run));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO h FROM tenure.head x WHERE x.resource >= p_resource AND x.resource <= p_resource
  ORDER BY x.resource DESC LIMIT 1 FOR NO KEY UPDATE;
  now_us := tenure.now_us();
  stamp := h.stamp;
  claimed := 0;
  changed := tenure.take_out(p_resource, p_schedule, p_slot, p_run);
  -- Those that nobody has ever claimed, of which nothing is remembered, at once: it is most, and five times as fast.
  DELETE FROM tenure.waiting x WHERE x.ctid = ANY (ARRAY(
    SELECT y.place FROM unnest(p_schedule, p_slot, p_run) AS i (schedule, slot_us, run)
    CROSS JOIN LATERAL tenure.place_in_waiting(p_resource, i.schedule, i.slot_us, i.run) y WHERE y.attempt = 0));
  changed := changed OR FOUND;
  -- Event by event: one that is named twice is taken once, and one that stays is counted as often as it is named.
  FOR w IN
    SELECT y.* FROM unnest(p_schedule, p_slot, p_run) WITH ORDINALITY AS i (schedule, slot_us, run, n)
    CROSS JOIN LATERAL (
      SELECT x.* FROM tenure.waiting x
      WHERE x.ctid = (SELECT z.place FROM tenure.place_in_waiting(p_resource, i.schedule, i.slot_us, i.run) z)) y
    ORDER BY i.n
  LOOP
    IF w.claimed AND (h.hold_since_us IS NOT NULL OR now_us < w.until_us) THEN
      claimed := claimed + 1;
    ELSE
      PERFORM tenure.finish(w, 3, now_us);
      changed := true;
    END IF;
  END LOOP;
  IF changed THEN
    UPDATE tenure.head x SET stamp = x.stamp + 1 WHERE x.resource = p_resource RETURNING x.stamp INTO stamp;
  END IF;
END $$;

-- Events to be kept as dead.
CREATE OR REPLACE FUNCTION tenure.give_up_events(
    p_wait_ms bigint, p_resource bigint, p_node bigint, p_life bigint, p_branch bigint, p_epoch bigint, p_nonce bigint,
    p_schedule bigint[], p_slot bigint[], p_run bigint[], p_attempts bigint[], p_why text[],
    OUT now_us bigint, OUT stamp bigint, OUT why int, OUT changed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v_lead record;
  w tenure.waiting;
  v_n int := cardinality(p_schedule);
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_node, p_life, p_branch, p_epoch, p_nonce)),
          tenure.refuse_null(tenure.gaps(v_n, p_schedule) + tenure.gaps(v_n, p_slot) + tenure.gaps(v_n, p_run) +
                             tenure.gaps(v_n, p_attempts) + tenure.gaps(v_n, p_why));
  PERFORM tenure.prepare(p_wait_ms);
  v_lead := tenure.lead(p_resource, p_node, p_life, p_branch, p_epoch, p_nonce);
  now_us := v_lead.o_now;
  stamp := v_lead.o_stamp;
  why := v_lead.o_why;
  changed := false;
  IF why IS NOT NULL THEN
    RETURN;
  END IF;
  FOR i IN 1..v_n LOOP
    WITH gone AS (
      DELETE FROM tenure.outbox o
      WHERE o.ctid = (SELECT y.place FROM tenure.place_in_outbox(p_resource, p_schedule[i], p_slot[i], p_run[i]) y)
      RETURNING *)
    INSERT INTO tenure.dead (resource, seq, slot_us, schedule, run, attempts, since_us, version, why)
    SELECT g.resource, g.seq, g.slot_us, g.schedule, g.run, p_attempts[i], give_up_events.now_us, g.version, p_why[i]
    FROM gone g;
    IF FOUND THEN
      changed := true;
      CONTINUE;
    END IF;
    DELETE FROM tenure.waiting x
    WHERE x.ctid = (SELECT y.place FROM tenure.place_in_waiting(p_resource, p_schedule[i], p_slot[i], p_run[i]) y)
    RETURNING * INTO w;
    IF FOUND THEN
      w.attempt := p_attempts[i];
      w.why := p_why[i];
      PERFORM tenure.bury(w, now_us);
      changed := true;
    END IF;
  END LOOP;
  IF changed THEN
    stamp := stamp + 1;
  END IF;
  UPDATE tenure.head h SET stamp = give_up_events.stamp
  WHERE h.ctid = v_lead.o_place AND h.stamp < give_up_events.stamp;
END $$;

-- Dead events to where they are delivered from, in this order.
CREATE OR REPLACE FUNCTION tenure.redrive(
    p_wait_ms bigint, p_resource bigint, p_schedule bigint[], p_slot bigint[], p_run bigint[], OUT now_us bigint,
    OUT stamp bigint, OUT redriven bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  h tenure.head;
  d tenure.dead;
  v_added boolean;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource)),
          tenure.refuse_null(tenure.gaps(cardinality(p_schedule), p_schedule) +
                             tenure.gaps(cardinality(p_schedule), p_slot) +
                             tenure.gaps(cardinality(p_schedule), p_run));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO h FROM tenure.head WHERE resource = p_resource FOR NO KEY UPDATE;
  now_us := tenure.now_us();
  redriven := 0;
  FOR d IN
    SELECT y.* FROM unnest(p_schedule, p_slot, p_run) WITH ORDINALITY AS i (schedule, slot_us, run, n)
    CROSS JOIN LATERAL (
      SELECT x.* FROM tenure.dead x
      WHERE x.ctid = ANY (ARRAY(
        SELECT z.place FROM tenure.places_in_dead(p_resource, i.schedule, i.slot_us, i.run) z))
      ORDER BY x.version DESC, x.seq DESC LIMIT 1) y
    ORDER BY i.n
  LOOP
    DELETE FROM tenure.dead x WHERE x.ctid = ANY (ARRAY(
      SELECT z.place FROM tenure.places_in_dead(p_resource, d.schedule, d.slot_us, d.run) z));
    CONTINUE WHEN NOT FOUND;  -- it was named twice
    redriven := redriven + 1;
    IF (d.delivery).kind IS NOT NULL THEN
      v_added := tenure.add_waiting(p_resource, h.outbox_seq + 1, d.slot_us, d.schedule, d.run, d.version, d.name,
                                    d.delivery, now_us);
    ELSE
      INSERT INTO tenure.outbox (resource, seq, slot_us, schedule, run, version, at_us)
      VALUES (p_resource, h.outbox_seq + 1, d.slot_us, d.schedule, d.run, d.version, redrive.now_us)
      ON CONFLICT (resource, slot_us, schedule, run) DO NOTHING;
      v_added := FOUND;
    END IF;
    IF v_added THEN
      h.outbox_seq := h.outbox_seq + 1;
    END IF;
  END LOOP;
  IF redriven > 0 THEN
    h.stamp := h.stamp + 1;
    UPDATE tenure.head t SET outbox_seq = h.outbox_seq, stamp = h.stamp WHERE t.resource = p_resource;
  END IF;
  stamp := h.stamp;
END $$;

-- Dead events that somebody lets go.
CREATE OR REPLACE FUNCTION tenure.discard(
    p_wait_ms bigint, p_resource bigint, p_schedule bigint[], p_slot bigint[], p_run bigint[], p_actor text,
    OUT now_us bigint, OUT stamp bigint, OUT discarded bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  h tenure.head;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_actor)),
          tenure.refuse_null(tenure.gaps(cardinality(p_schedule), p_schedule) +
                             tenure.gaps(cardinality(p_schedule), p_slot) +
                             tenure.gaps(cardinality(p_schedule), p_run));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO h FROM tenure.head WHERE resource = p_resource FOR NO KEY UPDATE;
  now_us := tenure.now_us();
  WITH gone AS (
    UPDATE tenure.dead d SET discarded_us = discard.now_us, discarded_by = p_actor
    WHERE d.ctid = ANY (ARRAY(
      SELECT y.place FROM unnest(p_schedule, p_slot, p_run) AS i (schedule, slot_us, run)
      CROSS JOIN LATERAL tenure.places_in_dead(p_resource, i.schedule, i.slot_us, i.run) y WHERE NOT y.discarded))
    RETURNING d.slot_us, d.schedule, d.run)
  SELECT count(*) INTO discarded FROM (SELECT DISTINCT * FROM gone) x;
  IF discarded > 0 THEN
    h.stamp := h.stamp + 1;
    UPDATE tenure.head t SET stamp = h.stamp WHERE t.resource = p_resource;
  END IF;
  stamp := h.stamp;
END $$;

-- An instance's number.
CREATE OR REPLACE FUNCTION tenure.register(
    p_wait_ms bigint, p_resource bigint, p_key text, p_name text, OUT now_us bigint, OUT stamp bigint,
    OUT node bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v record;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_key, p_name));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO v FROM tenure.edit(p_resource, -1);
  now_us := v.o_now;
  UPDATE tenure.node x SET name = p_name, seen_us = register.now_us
  WHERE x.ctid = (SELECT y.ctid FROM tenure.node y WHERE y.resource = p_resource AND y.key >= p_key AND y.key <= p_key
                  ORDER BY y.key LIMIT 1)
  RETURNING x.node INTO node;
  IF NOT FOUND THEN
    UPDATE tenure.head h SET next_node = h.next_node + 1 WHERE h.resource = p_resource
    RETURNING h.next_node - 1 INTO node;
    INSERT INTO tenure.node (resource, node, key, name, since_us, seen_us)
    VALUES (p_resource, register.node, p_key, p_name, register.now_us, register.now_us);
  END IF;
  UPDATE tenure.head h SET stamp = h.stamp + 1 WHERE h.resource = p_resource RETURNING h.stamp INTO stamp;
END $$;

-- ---- claims: the rules are those of core/store/reference/waiting.h, and cited by its numbers ----------------------

-- An event that nobody works on, that waits for nothing, and that the next claim does not settle.
CREATE OR REPLACE FUNCTION tenure.is_ready(x tenure.waiting, p_held boolean, p_now bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
  SELECT (x.attempt = 0 OR (x.until_us <= p_now AND NOT (x.claimed AND p_held)))
         AND NOT (x.claimed AND (x.cancelled OR x.attempt - x.released >= (x.delivery).attempts))
$$;
-- How events are handed out: 2 in strict order, 1 one at a time, 0 at any time.
CREATE OR REPLACE FUNCTION tenure.turn_of(d tenure.delivery) RETURNS int LANGUAGE sql IMMUTABLE
AS $$ SELECT CASE WHEN (d).strict_order THEN 2 WHEN (d).overlap <> 0 THEN 1 ELSE 0 END $$;
-- Whether a claim stands that keeps the event p_seq waiting, whose rules allow one at a time (invariant 3).
CREATE OR REPLACE FUNCTION tenure.is_kept_waiting(
    p_resource bigint, p_schedule bigint, p_seq bigint, p_held boolean, p_now bigint) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
  -- Not EXISTS, for which the planner forgets the order.
  RETURN coalesce((SELECT true FROM tenure.waiting x
                   WHERE x.resource = p_resource AND x.schedule >= p_schedule AND x.schedule <= p_schedule
                     AND x.claimed AND (p_held OR x.until_us > p_now)
                     AND (x.seq < p_seq OR tenure.turn_of(x.delivery) > 0)
                   ORDER BY x.schedule, x.seq LIMIT 1), false);
END $$;

-- Of each schedule whose events are handed out one at a time the first one that nobody has tried, if its number is beyond
-- p_after.
CREATE OR REPLACE FUNCTION tenure.first_of_each(p_resource bigint, p_topic text, p_after bigint)
    RETURNS TABLE (place tid, seq bigint, schedule bigint, turn int) LANGUAGE plpgsql STABLE
AS $$
BEGIN
  turn := 1;
  schedule := -1;
  LOOP
    SELECT x.ctid, x.seq, x.schedule, tenure.turn_of(x.delivery) INTO place, seq, schedule, turn FROM tenure.waiting x
    WHERE x.resource = p_resource AND x.kind = 1 AND x.attempt = 0 AND x.name = p_topic
      AND tenure.turn_of(x.delivery) > 0
      AND (tenure.turn_of(x.delivery), x.schedule) > (first_of_each.turn, first_of_each.schedule)
    ORDER BY tenure.turn_of(x.delivery), x.schedule, x.seq LIMIT 1;
    EXIT WHEN NOT FOUND;
    IF seq > p_after THEN
      RETURN NEXT;
    END IF;
  END LOOP;
END $$;

-- The places of what a claim hands out, in the order of numbers. Mostly the first events that wait are to be had. Where
-- many of them are not, a claim does not look at each:
--
--   1. It begins with all that waits, event by event.
--   2. After a thousand that it cannot hand out it looks at those that nobody has tried, and at those whose time has
--      come. So it passes over those that are worked on, or wait for the next attempt.
--   3. After a thousand more it looks at the first of each schedule that hands out one at a time. So it passes over what
--      is behind these.
CREATE OR REPLACE FUNCTION tenure.claimable(
    p_resource bigint, p_topic text, p_max bigint, p_held boolean, p_now bigint) RETURNS tid[] LANGUAGE plpgsql STABLE
AS $$
DECLARE
  v_many bigint := p_max + 1000;
  c record;
  v_places tid[] := '{}';
  v_busy bigint[] := '{}';    -- schedules of which an event is handed out, or is being worked on
  v_behind bigint[] := '{}';  -- schedules in strict order whose first event is not to be had
  v_last bigint;              -- up to which number all was looked at
  v_end bigint := 9223372036854775807;  -- up to which this step looks
BEGIN
  FOR step IN 1..3 LOOP
    FOR c IN
      (SELECT y.place, y.seq, y.schedule, y.turn
       FROM (SELECT x.ctid AS place, x.seq, x.schedule, tenure.turn_of(x.delivery) AS turn,
                    tenure.is_ready(x, p_held, p_now) AS ready
             FROM tenure.waiting x
             WHERE step = 1 AND x.resource = p_resource AND x.kind = 1 AND x.name >= p_topic AND x.name <= p_topic
             ORDER BY x.name, x.seq LIMIT v_many) y
       WHERE y.ready)
      UNION ALL
      (SELECT z.* FROM (
         SELECT f.* FROM unnest(CASE step WHEN 2 THEN '{0,1,2}' WHEN 3 THEN '{0}' END::int[]) AS k (turn)
         CROSS JOIN LATERAL (
           SELECT x.ctid AS place, x.seq, x.schedule, tenure.turn_of(x.delivery) AS turn FROM tenure.waiting x
           WHERE x.resource = p_resource AND x.kind = 1 AND x.attempt = 0 AND x.name = p_topic
             AND (tenure.turn_of(x.delivery), x.seq) > (k.turn, v_last) AND tenure.turn_of(x.delivery) <= k.turn
           ORDER BY tenure.turn_of(x.delivery), x.seq LIMIT v_many) f
         UNION ALL
         SELECT t.place, t.seq, t.schedule, t.turn FROM unnest('{false,true}'::boolean[]) AS k (claimed)
         CROSS JOIN LATERAL (
           SELECT x.ctid AS place, x.seq, x.schedule, tenure.turn_of(x.delivery) AS turn, x.kind,
                  tenure.is_ready(x, p_held, p_now) AS ready
           FROM tenure.waiting x
           WHERE step > 1 AND x.resource = p_resource AND x.attempt > 0 AND x.name = p_topic AND x.claimed = k.claimed
             AND x.until_us <= p_now
           ORDER BY x.until_us) t
         WHERE t.ready AND t.kind = 1 AND t.seq > v_last
         UNION ALL
         SELECT e.* FROM tenure.first_of_each(p_resource, p_topic, v_last) e WHERE step = 3) z
       WHERE z.seq <= v_end ORDER BY z.seq)
    LOOP
      EXIT WHEN cardinality(v_places) >= p_max;
      IF c.turn = 2 THEN  -- invariant 3
        CONTINUE WHEN c.schedule = ANY (v_behind);
        IF c.seq > (SELECT x.seq FROM tenure.waiting x
                    WHERE x.resource = p_resource AND x.schedule >= c.schedule AND x.schedule <= c.schedule
                      AND x.kind = 1
                    ORDER BY x.schedule, x.seq LIMIT 1)
           OR tenure.is_kept_waiting(p_resource, c.schedule, c.seq, p_held, p_now) THEN
          v_behind := v_behind || c.schedule;
          CONTINUE;
        END IF;
      ELSIF c.turn = 1 THEN
        CONTINUE WHEN c.schedule = ANY (v_busy);
        IF tenure.is_kept_waiting(p_resource, c.schedule, c.seq, p_held, p_now) THEN
          v_busy := v_busy || c.schedule;
          CONTINUE;
        END IF;
      END IF;
      v_places := v_places || c.place;
      v_busy := v_busy || c.schedule;
    END LOOP;
    EXIT WHEN cardinality(v_places) >= p_max;
    IF step = 1 THEN
      v_last := (SELECT x.seq FROM tenure.waiting x
                 WHERE x.resource = p_resource AND x.kind = 1 AND x.name >= p_topic AND x.name <= p_topic
                 ORDER BY x.name, x.seq OFFSET v_many - 1 LIMIT 1);
      EXIT WHEN v_last IS NULL;
      v_end := (SELECT coalesce(min(f.seq), v_end) FROM unnest('{1,2}'::int[]) AS k (turn)
                CROSS JOIN LATERAL (
                  SELECT x.seq FROM tenure.waiting x
                  WHERE x.resource = p_resource AND x.kind = 1 AND x.attempt = 0 AND x.name = p_topic
                    AND (tenure.turn_of(x.delivery), x.seq) > (k.turn, v_last) AND tenure.turn_of(x.delivery) <= k.turn
                  ORDER BY tenure.turn_of(x.delivery), x.seq OFFSET v_many - 1 LIMIT 1) f);
    ELSE
      EXIT WHEN v_end = 9223372036854775807;
      v_last := v_end;
      v_end := 9223372036854775807;
    END IF;
  END LOOP;
  RETURN v_places;
END $$;

-- Those that were tried for the last time, or replaced, and timed out since.
CREATE OR REPLACE FUNCTION tenure.timed_out(p_resource bigint, p_topic text, p_held boolean, p_now bigint)
    RETURNS SETOF tenure.waiting LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT y.* FROM (
    SELECT x.* FROM tenure.waiting x
    WHERE NOT p_held AND x.resource = p_resource AND x.attempt > 0 AND x.name = p_topic AND x.claimed
      AND x.until_us <= p_now
    ORDER BY x.until_us) y
  WHERE y.cancelled OR y.attempt - y.released >= (y.delivery).attempts
  ORDER BY y.seq LIMIT 100
$$;

-- Whether a claim would find nothing to do. It sees one moment, and locks nothing.
CREATE OR REPLACE FUNCTION tenure.look_for_claim(
    p_resource bigint, p_topic text, p_max bigint, OUT now_us bigint, OUT stamp bigint, OUT idle boolean)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  h tenure.head;
  v_held boolean;
BEGIN
  SELECT * INTO h FROM tenure.head x WHERE x.resource >= p_resource AND x.resource <= p_resource
  ORDER BY x.resource DESC LIMIT 1;
  now_us := tenure.now_us();
  stamp := h.stamp;
  v_held := h.hold_since_us IS NOT NULL;
  idle := (now_us < h.attempts_us) IS NOT TRUE
          AND NOT EXISTS (SELECT FROM tenure.timed_out(p_resource, p_topic, v_held, now_us))
          AND cardinality(tenure.claimable(p_resource, p_topic, least(p_max, 1), v_held, now_us)) = 0;
END $$;

-- A worker that waits asks again and again. As long as there is nothing for it, it is answered by a read.
CREATE OR REPLACE FUNCTION tenure.claim(
    p_wait_ms bigint, p_resource bigint, p_topic text, p_max bigint, p_duration bigint, p_worker text, p_nonce bigint,
    OUT now_us bigint, OUT stamp bigint, OUT changed boolean, OUT seqs bigint[], OUT schedules bigint[],
    OUT slots bigint[], OUT runs bigint[], OUT versions bigint[], OUT attempts bigint[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  h tenure.head;
  w tenure.waiting;
  v_idle boolean;
  v_held boolean;
  v_places tid[];
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_topic, p_max, p_duration, p_worker, p_nonce));
  PERFORM tenure.prepare(p_wait_ms);
  seqs := '{}';
  changed := false;
  SELECT l.now_us, l.stamp, l.idle INTO now_us, stamp, v_idle
  FROM tenure.look_for_claim(p_resource, p_topic, p_max) l;
  IF v_idle THEN
    RETURN;
  END IF;

  SELECT * INTO h FROM tenure.head x WHERE x.resource >= p_resource AND x.resource <= p_resource
  ORDER BY x.resource DESC LIMIT 1 FOR NO KEY UPDATE;
  now_us := tenure.now_us();
  stamp := h.stamp;
  v_held := h.hold_since_us IS NOT NULL;
  changed := now_us < h.attempts_us;
  IF changed THEN  -- invariant 6
    UPDATE tenure.waiting x SET until_us = claim.now_us + x.until_us - x.from_us, from_us = claim.now_us
    WHERE x.resource = p_resource AND x.attempt > 0 AND x.from_us > claim.now_us;
    h.attempts_us := now_us;
  END IF;
  FOR w IN SELECT * FROM tenure.timed_out(p_resource, p_topic, v_held, now_us) LOOP
    w.why := 'the claim was over before the work was';
    PERFORM tenure.finish(w, CASE WHEN w.cancelled THEN 5 ELSE 4 END, now_us);
    IF w.cancelled THEN
      h.history_seq := h.history_seq + 1;
      PERFORM tenure.add_history(p_resource, h.history_seq, w.schedule, w.version, 6, w.slot_us, w.run, w.slot_us,
                                 w.slot_us, 0, now_us);
    END IF;
    changed := true;
  END LOOP;
  v_places := tenure.claimable(p_resource, p_topic, p_max, v_held, now_us);
  IF cardinality(v_places) > 0 THEN
    WITH given AS (
      UPDATE tenure.waiting x
      SET attempt = x.attempt + 1, nonce = p_nonce, claimed = true, cancelled = false, from_us = claim.now_us,
          until_us = claim.now_us + p_duration, worker = p_worker
      WHERE x.ctid = ANY (v_places) RETURNING x.*)
    SELECT array_agg(g.seq ORDER BY g.seq), array_agg(g.schedule ORDER BY g.seq), array_agg(g.slot_us ORDER BY g.seq),
           array_agg(g.run ORDER BY g.seq), array_agg(g.version ORDER BY g.seq), array_agg(g.attempt ORDER BY g.seq)
    INTO seqs, schedules, slots, runs, versions, attempts FROM given g;
    h.attempts_us := greatest(h.attempts_us, now_us);
    changed := true;
  END IF;
  IF changed THEN
    UPDATE tenure.head x
    SET attempts_us = h.attempts_us, history_seq = h.history_seq, stamp = x.stamp + 1
    WHERE x.resource = p_resource RETURNING x.stamp INTO stamp;
  END IF;
END $$;

-- ---- reads: each sees one moment, and locks nothing ---------------------------------------------------------------
--
-- Each says an order that one index has, and forbids sorting: whatever the planner believes of the table, it takes that
-- index. For some that needs a key as a range of one value, since a key that is equal orders nothing.

-- Segments with a cursor before p_horizon, from the position after (p_cursor, p_schedule, p_version) on; p_limit is one
-- more than is wanted, to see whether there are more.
CREATE OR REPLACE FUNCTION tenure.due(
    p_resource bigint, p_horizon bigint, p_cursor bigint, p_schedule bigint, p_version bigint, p_limit bigint,
    OUT now_us bigint, OUT stamp bigint, OUT branch bigint, OUT change_seq bigint, OUT hold_since_us bigint,
    OUT hold_jump_ns bigint, OUT schedules bigint[], OUT versions bigint[], OUT begins bigint[], OUT ends bigint[],
    OUT cursors bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v_floor bigint;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_horizon, p_cursor, p_schedule, p_version, p_limit));
  SELECT h.stamp, h.change_seq, h.hold_since_us, h.hold_jump_ns, h.floor_us
  INTO stamp, change_seq, hold_since_us, hold_jump_ns, v_floor
  FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource
  ORDER BY h.resource DESC LIMIT 1;
  IF p_cursor < v_floor THEN
    p_cursor := v_floor;
    p_schedule := -1;
  END IF;
  SELECT array_agg(s.schedule), array_agg(s.version), array_agg(s.begin_us), array_agg(s.end_us), array_agg(s.cursor_us)
  INTO schedules, versions, begins, ends, cursors
  FROM (SELECT * FROM tenure.segment g
        WHERE g.resource = p_resource AND g.cursor_us < p_horizon
          AND (g.cursor_us, g.schedule, g.version) > (p_cursor, p_schedule, p_version)
        ORDER BY g.cursor_us, g.schedule, g.version LIMIT p_limit) s;
  branch := tenure.branch();
  now_us := tenure.now_us();
END $$;

-- The leader's own work, and whether events wait for destinations.
CREATE OR REPLACE FUNCTION tenure.read_outbox(
    p_resource bigint, p_after bigint, p_limit bigint, OUT now_us bigint, OUT stamp bigint, OUT seqs bigint[],
    OUT schedules bigint[], OUT slots bigint[], OUT runs bigint[], OUT push_waits boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_after, p_limit));
  SELECT h.stamp INTO stamp FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource
  ORDER BY h.resource DESC LIMIT 1;
  SELECT array_agg(e.seq), array_agg(e.schedule), array_agg(e.slot_us), array_agg(e.run)
  INTO seqs, schedules, slots, runs
  FROM (SELECT * FROM tenure.outbox o WHERE o.resource = p_resource AND o.seq > p_after
        ORDER BY o.seq LIMIT p_limit) e;
  push_waits := EXISTS (SELECT FROM tenure.waiting w WHERE w.resource = p_resource AND w.kind >= 2 AND w.kind <= 2
                        ORDER BY w.kind, w.seq LIMIT 1);
  now_us := tenure.now_us();
END $$;

-- For programs of version 9 and before.
CREATE OR REPLACE FUNCTION tenure.outbox(
    p_resource bigint, p_after bigint, p_limit bigint, OUT now_us bigint, OUT stamp bigint, OUT seqs bigint[],
    OUT schedules bigint[], OUT slots bigint[], OUT runs bigint[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT now_us, stamp, seqs, schedules, slots, runs FROM tenure.read_outbox(p_resource, p_after, p_limit) $$;

CREATE OR REPLACE FUNCTION tenure.dead(
    p_resource bigint, p_after bigint, p_limit bigint, OUT now_us bigint, OUT stamp bigint, OUT seqs bigint[],
    OUT schedules bigint[], OUT slots bigint[], OUT runs bigint[], OUT attempts bigint[], OUT since bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_after, p_limit));
  SELECT h.stamp INTO stamp FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource
  ORDER BY h.resource DESC LIMIT 1;
  SELECT array_agg(e.seq), array_agg(e.schedule), array_agg(e.slot_us), array_agg(e.run), array_agg(e.attempts),
         array_agg(e.since_us)
  INTO seqs, schedules, slots, runs, attempts, since
  FROM (SELECT * FROM tenure.dead d WHERE d.resource = p_resource AND d.seq > p_after
        ORDER BY d.seq LIMIT p_limit) e;
  now_us := tenure.now_us();
END $$;

-- The same with why they died.
CREATE OR REPLACE FUNCTION tenure.dead_events(
    p_resource bigint, p_after bigint, p_limit bigint, OUT now_us bigint, OUT stamp bigint, OUT seqs bigint[],
    OUT schedules bigint[], OUT slots bigint[], OUT runs bigint[], OUT attempts bigint[], OUT since bigint[],
    OUT whys text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_after, p_limit));
  SELECT h.stamp INTO stamp FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource
  ORDER BY h.resource DESC LIMIT 1;
  SELECT array_agg(e.seq), array_agg(e.schedule), array_agg(e.slot_us), array_agg(e.run), array_agg(e.attempts),
         array_agg(e.since_us), array_agg(e.why)
  INTO seqs, schedules, slots, runs, attempts, since, whys
  FROM (SELECT * FROM tenure.dead d WHERE d.resource = p_resource AND d.seq > p_after
        ORDER BY d.seq LIMIT p_limit) e;
  now_us := tenure.now_us();
END $$;

-- The same of those that nobody has discarded, or of the others, with who has.
CREATE OR REPLACE FUNCTION tenure.dead_events(
    p_resource bigint, p_after bigint, p_limit bigint, p_discarded boolean, OUT now_us bigint, OUT stamp bigint,
    OUT seqs bigint[], OUT schedules bigint[], OUT slots bigint[], OUT runs bigint[], OUT attempts bigint[],
    OUT since bigint[], OUT whys text[], OUT actors text[], OUT ats bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_after, p_limit, p_discarded));
  SELECT h.stamp INTO stamp FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource
  ORDER BY h.resource DESC LIMIT 1;
  SELECT array_agg(e.seq), array_agg(e.schedule), array_agg(e.slot_us), array_agg(e.run), array_agg(e.attempts),
         array_agg(e.since_us), array_agg(e.why), array_agg(e.discarded_by), array_agg(coalesce(e.discarded_us, 0))
  INTO seqs, schedules, slots, runs, attempts, since, whys, actors, ats
  -- One query each: those that are kept have an index of their own.
  FROM ((SELECT * FROM tenure.dead d
         WHERE NOT p_discarded AND d.resource = p_resource AND d.seq > p_after AND d.discarded_us IS NULL
         ORDER BY d.seq LIMIT p_limit)
        UNION ALL
        (SELECT * FROM tenure.dead d
         WHERE p_discarded AND d.resource = p_resource AND d.seq > p_after AND d.discarded_us IS NOT NULL
         ORDER BY d.seq LIMIT p_limit)) e;
  now_us := tenure.now_us();
END $$;

-- Events that wait, of one name, or of all where p_all is true.
CREATE OR REPLACE FUNCTION tenure.read_waiting(
    p_resource bigint, p_kind int, p_all boolean, p_name text, p_after bigint, p_limit bigint, OUT now_us bigint,
    OUT stamp bigint, OUT held boolean, OUT seqs bigint[], OUT schedules bigint[], OUT slots bigint[],
    OUT runs bigint[], OUT versions bigint[], OUT names text[], OUT ats bigint[], OUT attempts bigint[],
    OUT claims bigint[], OUT untils bigint[], OUT workers text[], OUT stricts bigint[], OUT most_attempts bigint[],
    OUT back_offs bigint[], OUT longest bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_kind, p_all, p_name, p_after, p_limit));
  SELECT h.stamp, h.hold_since_us IS NOT NULL INTO stamp, held
  FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource ORDER BY h.resource DESC LIMIT 1;
  SELECT array_agg(e.seq), array_agg(e.schedule), array_agg(e.slot_us), array_agg(e.run), array_agg(e.version),
         array_agg(e.name), array_agg(e.at_us), array_agg(e.attempt), array_agg(e.claimed::int::bigint),
         array_agg(e.until_us), array_agg(e.worker), array_agg((e.delivery).strict_order::int::bigint),
         array_agg((e.delivery).attempts), array_agg((e.delivery).back_off_us), array_agg((e.delivery).longest_us)
  INTO seqs, schedules, slots, runs, versions, names, ats, attempts, claims, untils, workers, stricts, most_attempts,
       back_offs, longest
  -- One query each, so that each has a plan of its own: what waits under one name is read without what waits under others.
  FROM ((SELECT * FROM tenure.waiting w
         WHERE p_all AND w.resource = p_resource AND (w.kind, w.seq) > (p_kind, p_after) AND w.kind <= p_kind
         ORDER BY w.kind, w.seq LIMIT p_limit)
        UNION ALL
        (SELECT * FROM tenure.waiting w
         WHERE NOT p_all AND w.resource = p_resource AND w.kind = p_kind AND (w.name, w.seq) > (p_name, p_after)
           AND w.name <= p_name
         ORDER BY w.name, w.seq LIMIT p_limit)) e;
  now_us := tenure.now_us();
END $$;

-- For programs of version 9 and before, which looked elsewhere for how an event is delivered.
CREATE OR REPLACE FUNCTION tenure.waiting_events(
    p_resource bigint, p_kind int, p_all boolean, p_name text, p_after bigint, p_limit bigint, OUT now_us bigint,
    OUT stamp bigint, OUT held boolean, OUT seqs bigint[], OUT schedules bigint[], OUT slots bigint[],
    OUT runs bigint[], OUT versions bigint[], OUT names text[], OUT ats bigint[], OUT attempts bigint[],
    OUT claims bigint[], OUT untils bigint[], OUT workers text[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  SELECT now_us, stamp, held, seqs, schedules, slots, runs, versions, names, ats, attempts, claims, untils, workers
  FROM tenure.read_waiting(p_resource, p_kind, p_all, p_name, p_after, p_limit)
$$;

-- How much waits, up to p_most of each.
CREATE OR REPLACE FUNCTION tenure.depths(
    p_resource bigint, p_most bigint, OUT now_us bigint, OUT stamp bigint, OUT events bigint[], OUT oldest bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_most));
  SELECT h.stamp INTO stamp FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource
  ORDER BY h.resource DESC LIMIT 1;
  events := ARRAY[
    (SELECT count(*) FROM (SELECT FROM tenure.outbox o WHERE o.resource = p_resource LIMIT p_most) x),
    (SELECT count(*) FROM (SELECT FROM tenure.waiting w WHERE w.resource = p_resource AND w.kind >= 1 AND w.kind <= 1
                           ORDER BY w.kind, w.seq LIMIT p_most) x),
    (SELECT count(*) FROM (SELECT FROM tenure.waiting w WHERE w.resource = p_resource AND w.kind >= 2 AND w.kind <= 2
                           ORDER BY w.kind, w.seq LIMIT p_most) x),
    (SELECT count(*) FROM (SELECT FROM tenure.dead d WHERE d.resource = p_resource AND d.discarded_us IS NULL
                           ORDER BY d.seq LIMIT p_most) x)];
  oldest := ARRAY[
    coalesce((SELECT coalesce(o.at_us, o.slot_us) FROM tenure.outbox o WHERE o.resource = p_resource
              ORDER BY o.seq LIMIT 1), 0),
    coalesce((SELECT w.at_us FROM tenure.waiting w WHERE w.resource = p_resource AND w.kind >= 1 AND w.kind <= 1
              ORDER BY w.kind, w.seq LIMIT 1), 0),
    coalesce((SELECT w.at_us FROM tenure.waiting w WHERE w.resource = p_resource AND w.kind >= 2 AND w.kind <= 2
              ORDER BY w.kind, w.seq LIMIT 1), 0),
    coalesce((SELECT d.since_us FROM tenure.dead d WHERE d.resource = p_resource AND d.discarded_us IS NULL
              ORDER BY d.seq LIMIT 1), 0)];
  now_us := tenure.now_us();
END $$;

-- The history from p_from on, forwards or, where p_back is true, backwards; of one schedule, or of all where it is -1.
CREATE OR REPLACE FUNCTION tenure.history_rows(
    p_resource bigint, p_schedule bigint, p_from bigint, p_back boolean, p_limit bigint, OUT now_us bigint,
    OUT stamp bigint, OUT branch bigint, OUT forgotten bigint, OUT last bigint, OUT seqs bigint[],
    OUT schedules bigint[], OUT versions bigint[], OUT whats bigint[], OUT slots bigint[], OUT runs bigint[],
    OUT froms bigint[], OUT tos bigint[], OUT counts bigint[], OUT ats bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v_rows tenure.history[];
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_schedule, p_from, p_back, p_limit));
  SELECT h.stamp, h.history_seq INTO stamp, last
  FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource ORDER BY h.resource DESC LIMIT 1;
  last := coalesce(last, 0);
  forgotten := coalesce((SELECT min(y.seq) - 1 FROM tenure.history y WHERE y.resource = p_resource), last);
  -- One query each, so that each has a plan of its own.
  IF p_schedule >= 0 AND p_back THEN
    v_rows := ARRAY(SELECT y FROM tenure.history y WHERE y.resource = p_resource
                    AND (y.schedule, y.seq) < (p_schedule, p_from) AND y.schedule >= p_schedule
                    ORDER BY y.schedule DESC, y.seq DESC LIMIT p_limit);
  ELSIF p_schedule >= 0 THEN
    v_rows := ARRAY(SELECT y FROM tenure.history y WHERE y.resource = p_resource
                    AND (y.schedule, y.seq) > (p_schedule, p_from) AND y.schedule <= p_schedule ORDER BY y.schedule, y.seq LIMIT p_limit);
  ELSIF p_back THEN
    v_rows := ARRAY(SELECT y FROM tenure.history y WHERE y.resource = p_resource AND y.seq < p_from
                    ORDER BY y.seq DESC LIMIT p_limit);
  ELSE
    v_rows := ARRAY(SELECT y FROM tenure.history y WHERE y.resource = p_resource AND y.seq > p_from
                    ORDER BY y.seq LIMIT p_limit);
  END IF;
  SELECT array_agg(e.seq ORDER BY n), array_agg(e.schedule ORDER BY n), array_agg(e.version ORDER BY n),
         array_agg(e.what::bigint ORDER BY n), array_agg(e.slot_us ORDER BY n), array_agg(e.run ORDER BY n),
         array_agg(e.from_us ORDER BY n), array_agg(e.to_us ORDER BY n), array_agg(e.slots ORDER BY n),
         array_agg(e.at_us ORDER BY n)
  INTO seqs, schedules, versions, whats, slots, runs, froms, tos, counts, ats
  FROM unnest(v_rows) WITH ORDINALITY
         AS e (resource, seq, schedule, version, slot_us, run, from_us, to_us, slots, at_us, what, n);
  branch := tenure.branch();
  now_us := tenure.now_us();
END $$;

CREATE OR REPLACE FUNCTION tenure.nodes(
    p_resource bigint, OUT now_us bigint, OUT stamp bigint, OUT nodes bigint[], OUT names text[], OUT since bigint[],
    OUT seen bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource));
  SELECT h.stamp INTO stamp FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource
  ORDER BY h.resource DESC LIMIT 1;
  SELECT array_agg(e.node), array_agg(e.name), array_agg(e.since_us), array_agg(e.seen_us)
  INTO nodes, names, since, seen
  FROM (SELECT * FROM tenure.node d WHERE d.resource = p_resource ORDER BY d.node) e;
  now_us := tenure.now_us();
END $$;

CREATE OR REPLACE FUNCTION tenure.changes(
    p_resource bigint, p_after bigint, p_limit bigint, OUT now_us bigint, OUT stamp bigint, OUT branch bigint,
    OUT hold_since_us bigint, OUT hold_jump_ns bigint, OUT seqs bigint[], OUT schedules bigint[], OUT versions bigint[],
    OUT begins bigint[], OUT ends bigint[], OUT cursors bigint[], OUT deletes int[], OUT definitions text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_after, p_limit));
  SELECT h.stamp, h.hold_since_us, h.hold_jump_ns INTO stamp, hold_since_us, hold_jump_ns
  FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource
  ORDER BY h.resource DESC LIMIT 1;
  SELECT array_agg(e.seq), array_agg(e.schedule), array_agg(e.version), array_agg(e.begin_us), array_agg(e.end_us),
         array_agg(e.cursor_us), array_agg(e.deleted::int), array_agg(e.definition)
  INTO seqs, schedules, versions, begins, ends, cursors, deletes, definitions
  FROM (SELECT * FROM tenure.change c WHERE c.resource = p_resource AND c.seq > p_after
        ORDER BY c.seq LIMIT p_limit) e;
  branch := tenure.branch();
  now_us := tenure.now_us();
END $$;

-- For people, and for tests: all that requests cannot read.
CREATE OR REPLACE FUNCTION tenure.audit(
    p_resource bigint, OUT stamp bigint, OUT lease bigint[], OUT schedules bigint[], OUT versions bigint[],
    OUT froms bigint[], OUT tos bigint[], OUT slots bigint[], OUT whats int[], OUT segment_schedules bigint[],
    OUT segment_versions bigint[], OUT begins bigint[], OUT ends bigint[], OUT cursors bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource));
  SELECT greatest((SELECT h.stamp FROM tenure.head h WHERE h.resource = p_resource),
                  (SELECT l.stamp FROM tenure.lease l WHERE l.resource = p_resource)) INTO stamp;
  SELECT ARRAY[l.holder_node, l.holder_life, l.epoch, l.nonce, l.branch, l.written_us, l.expires_us] INTO lease
  FROM tenure.lease l WHERE l.resource = p_resource;
  SELECT array_agg(x.schedule), array_agg(x.version), array_agg(x.from_us), array_agg(x.to_us), array_agg(x.slot_us),
         array_agg(x.what)
  INTO schedules, versions, froms, tos, slots, whats
  FROM (SELECT * FROM tenure.exception e WHERE e.resource = p_resource ORDER BY e.schedule, e.version, e.from_us) x;
  SELECT array_agg(x.schedule), array_agg(x.version), array_agg(x.begin_us), array_agg(x.end_us), array_agg(x.cursor_us)
  INTO segment_schedules, segment_versions, begins, ends, cursors
  FROM (SELECT * FROM tenure.segment g WHERE g.resource = p_resource ORDER BY g.schedule, g.version) x;
END $$;

-- ---- consumers in the database: what tenured's /v1/events and /v1/executions are over HTTP (docs/consumers.md) --------
--
-- Parts of requests as consumers write them. Each ends in the function that the program calls for the same request.
-- Whatever is wrong ends the consumer's transaction: TN002 where somebody else has the event by now (HTTP: 409), TN003
-- where nothing is known of it (404), 22023 where an argument makes no sense (400).

-- Events that wait for consumers. With nothing but what everybody may call: whoever reads a view calls its functions.
CREATE OR REPLACE VIEW tenure.pulled AS
SELECT w.resource, w.seq, format('%s/%s/%s', w.schedule, w.slot_us, x.run) AS key,
       coalesce(s.name, s.schedule::text COLLATE "C") AS schedule, w.name AS topic, coalesce(y.type, '') AS type,
       nullif(y.data, '') AS data,          -- JSON, as the schedule's author wrote it; nobody has looked whether it is
       coalesce(y.labels, '{}')::json AS labels,
       timestamptz 'epoch' + w.slot_us * interval '1 microsecond' AS slot,
       nullif(x.run, 0) AS run,             -- of a manual run
       timestamptz 'epoch' + w.at_us * interval '1 microsecond' AS fired,
       w.attempt,                           -- the last one; 0: nobody has claimed it
       CASE WHEN w.claimed THEN w.worker END AS worker,
       CASE WHEN w.claimed THEN timestamptz 'epoch' + w.until_us * interval '1 microsecond' END AS claimed_until
FROM tenure.waiting w
CROSS JOIN LATERAL (
  SELECT w.run::numeric + CASE WHEN w.run < 0 THEN 18446744073709551616 ELSE 0 END) AS x (run)
CROSS JOIN LATERAL (  -- OFFSET 0: by its key, and not by a join with all schedules
  SELECT z.name, z.schedule FROM tenure.schedule z
  WHERE z.resource = w.resource AND z.schedule = w.schedule OFFSET 0) s
LEFT JOIN LATERAL (
  SELECT p.type, p.data, p.labels FROM tenure.payload p
  WHERE p.resource = w.resource AND p.schedule = w.schedule AND p.version <= w.version AND p.last >= w.version
  ORDER BY p.version DESC LIMIT 1) y ON true
WHERE w.kind = 1;

-- The same for others' eyes: no condition of theirs is shown a row that is not for them. But neither does the planner
-- look through it: joined with what is to be found in it, it is read whole for each. So functions take the one above.
CREATE OR REPLACE VIEW tenure.events WITH (security_barrier) AS SELECT * FROM tenure.pulled;

-- The wait for a lock that the consumer has set, for `prepare`. 0: any.
CREATE OR REPLACE FUNCTION tenure.own_wait_ms() RETURNS bigint LANGUAGE sql STABLE
AS $$ SELECT (extract(epoch FROM current_setting('lock_timeout')::interval) * 1000)::bigint $$;

CREATE OR REPLACE FUNCTION tenure.refuse(p_why text) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  IF p_why IS NOT NULL THEN
    RAISE EXCEPTION '%', p_why USING ERRCODE = 'invalid_parameter_value';
  END IF;
END $$;

-- As Problems::check_text and check_duration (core/store/reference/problems.h).
CREATE OR REPLACE FUNCTION tenure.check_text(p_what text, p_text text, p_bytes int) RETURNS void LANGUAGE sql
AS $$
  SELECT tenure.refuse(CASE
    WHEN octet_length(convert_to(p_text, 'UTF8')) > p_bytes
      THEN format('%s has %s bytes, and may have %s', p_what, octet_length(convert_to(p_text, 'UTF8')), p_bytes)
    WHEN p_text ~ '[\x01-\x08\x0b\x0c\x0e-\x1f]' THEN format('%s has a control character', p_what) END)
$$;
CREATE OR REPLACE FUNCTION tenure.claim_us(p_duration interval) RETURNS bigint LANGUAGE plpgsql
AS $$
DECLARE
  v_us numeric := extract(epoch FROM p_duration) * 1000000;
BEGIN
  PERFORM tenure.refuse(CASE WHEN v_us NOT BETWEEN 1 AND 2592000000000
                          THEN 'a claim stands for a time from 1 us to 30 days' END);
  RETURN v_us;
END $$;

-- A number of 64 bits without a sign, as columns have it.
CREATE OR REPLACE FUNCTION tenure.as_signed(p_number numeric) RETURNS bigint LANGUAGE sql IMMUTABLE
AS $$ SELECT (p_number - CASE WHEN p_number > 9223372036854775807 THEN 18446744073709551616 ELSE 0 END)::bigint $$;

-- The columns of an execution's name: schedule, slot, run, attempt, nonce. No other spelling of it is one.
CREATE OR REPLACE FUNCTION tenure.read_execution(p_execution text) RETURNS bigint[] LANGUAGE plpgsql
AS $$
DECLARE
  v_numbers numeric[];
BEGIN
  IF p_execution ~ '^(0|[1-9]\d{0,9})\.(0|-?[1-9]\d{0,15})(\.(0|[1-9]\d{0,19})){3}$' THEN
    v_numbers := string_to_array(p_execution, '.')::numeric[];
  END IF;
  IF v_numbers IS NULL OR 18446744073709551616 <= ANY (v_numbers) THEN
    RAISE EXCEPTION 'no execution is called %', p_execution USING ERRCODE = 'TN003';
  END IF;
  RETURN ARRAY(SELECT tenure.as_signed(x) FROM unnest(v_numbers) WITH ORDINALITY AS n (x, i) ORDER BY i);
END $$;

-- What the consumer is told of an execution. p_over: of which standings it is told that it was too late.
CREATE OR REPLACE FUNCTION tenure.tell(
    p_execution text, p_standing bigint, p_until bigint, p_over bigint[], OUT standing text, OUT until timestamptz)
LANGUAGE plpgsql
AS $$
BEGIN
  standing := (ARRAY['claimed', 'cancelled', 'failed', 'completed', 'dead', 'replaced', 'reissued',
                     'unknown', 'released'])[p_standing + 1];
  IF p_standing = 7 THEN
    RAISE EXCEPTION 'nothing is known of execution %', p_execution
      USING ERRCODE = 'TN003', DETAIL = standing, HINT = 'What became of it may have been forgotten.';
  ELSIF p_standing = ANY (p_over) THEN
    RAISE EXCEPTION 'execution % is over: it is %', p_execution, standing
      USING ERRCODE = 'TN002', DETAIL = standing, HINT = 'Somebody else has the event, or nobody will. Stop.';
  END IF;
  until := CASE WHEN p_standing <= 2 OR p_standing = 8 THEN timestamptz 'epoch' + p_until * interval '1 microsecond' END;
END $$;

-- ---- what consumers call ------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION tenure.poll(
    p_topic text, p_after bigint DEFAULT 0, p_limit int DEFAULT 100, p_resource bigint DEFAULT 0)
RETURNS SETOF tenure.events
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_topic, p_after, p_limit, p_resource));
  RETURN QUERY
  SELECT x.* FROM tenure.pulled x
  WHERE x.resource = p_resource AND (x.topic, x.seq) > (p_topic, p_after) AND x.topic <= p_topic
  ORDER BY x.topic, x.seq LIMIT p_limit;
END $$;

-- How many of the events had not been acknowledged before. All or none: workers may be at some of them.
CREATE OR REPLACE FUNCTION tenure.ack(p_keys text[], p_resource bigint DEFAULT 0) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  c_key text := '^(0|[1-9]\d{0,9})/(0|-?[1-9]\d{0,15})/(0|[1-9]\d{0,19})$';
  v_schedules bigint[];
  v_slots bigint[];
  v_runs bigint[];
  v_waited bigint;
  v_claimed bigint;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource)), tenure.refuse_null(tenure.gaps(cardinality(p_keys), p_keys));
  PERFORM tenure.refuse(format('%s is no key of an event', k)) FROM unnest(p_keys) k
  WHERE CASE WHEN k ~ c_key THEN split_part(k, '/', 3)::numeric >= 18446744073709551616 ELSE true END;
  SELECT coalesce(array_agg(split_part(k, '/', 1)::bigint ORDER BY i), '{}'),
         coalesce(array_agg(split_part(k, '/', 2)::bigint ORDER BY i), '{}'),
         coalesce(array_agg(tenure.as_signed(split_part(k, '/', 3)::numeric) ORDER BY i), '{}')
  INTO v_schedules, v_slots, v_runs FROM unnest(p_keys) WITH ORDINALITY AS u (k, i);
  PERFORM tenure.prepare(tenure.own_wait_ms());
  PERFORM FROM tenure.head h WHERE h.resource = p_resource FOR NO KEY UPDATE;
  SELECT count(DISTINCT w.place) INTO v_waited FROM unnest(v_schedules, v_slots, v_runs) AS i (schedule, slot_us, run)
  CROSS JOIN LATERAL tenure.place_in_waiting(p_resource, i.schedule, i.slot_us, i.run) w;
  SELECT a.claimed INTO v_claimed
  FROM tenure.acknowledge_events(tenure.own_wait_ms(), p_resource, v_schedules, v_slots, v_runs) a;
  IF v_claimed > 0 THEN
    RAISE EXCEPTION 'workers are at % of the events', v_claimed
      USING ERRCODE = 'TN002', HINT = 'Whoever claimed an event ends it.';
  END IF;
  RETURN v_waited;
END $$;

CREATE OR REPLACE FUNCTION tenure.claim_events(
    p_topic text, p_max int DEFAULT 1, p_duration interval DEFAULT '1 minute', p_worker text DEFAULT current_user,
    p_resource bigint DEFAULT 0)
RETURNS TABLE (execution text, attempt bigint, until timestamptz, seq bigint, key text, schedule text, topic text,
               type text, data text, labels json, slot timestamptz, run numeric)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  v_nonce bigint := ('x' || substr(replace(gen_random_uuid()::text, '-', ''), 17))::bit(64)::bigint
                    & 9223372036854775807 | 1;
  v record;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_topic, p_max, p_duration, p_worker, p_resource));
  PERFORM tenure.refuse(CASE WHEN p_max NOT BETWEEN 0 AND 1000 THEN 'at most 1000 events are claimed at a time' END),
          tenure.check_text('the topic', p_topic, 120), tenure.check_text('the worker', p_worker, 120);
  SELECT * INTO v FROM tenure.claim(tenure.own_wait_ms(), p_resource, p_topic, p_max, tenure.claim_us(p_duration),
                                    p_worker, v_nonce);
  RETURN QUERY
  SELECT format('%s.%s.%s', replace(e.key, '/', '.'), e.attempt, v_nonce), e.attempt, e.claimed_until, e.seq, e.key,
         e.schedule, e.topic, e.type, e.data, e.labels, e.slot, e.run
  FROM unnest(v.seqs) AS c (seq)
  -- One index has the order of numbers, and sorting is forbidden: each is found by its number.
  CROSS JOIN LATERAL (
    SELECT x.* FROM tenure.pulled x
    WHERE x.resource = p_resource AND x.seq >= c.seq AND x.seq <= c.seq ORDER BY x.seq LIMIT 1) e
  ORDER BY e.seq;
END $$;

-- Without a duration: for as long as it was claimed for, or extended by the last heartbeat.
CREATE OR REPLACE FUNCTION tenure.heartbeat(
    p_execution text, p_duration interval DEFAULT NULL, p_resource bigint DEFAULT 0, OUT standing text,
    OUT cancel boolean, OUT until timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  t bigint[];
  v record;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_execution, p_resource));
  t := tenure.read_execution(p_execution);
  SELECT * INTO v FROM tenure.extend_attempts(
      tenure.own_wait_ms(), p_resource, CASE WHEN p_duration IS NULL THEN 0 ELSE tenure.claim_us(p_duration) END,
      t[1:1], t[2:2], t[3:3], t[4:4], t[5:5]);
  SELECT x.standing, x.until INTO heartbeat.standing, heartbeat.until
  FROM tenure.tell(p_execution, v.standings[1], v.untils[1], '{4,5,6}') x;
  cancel := heartbeat.standing = 'cancelled';
END $$;

CREATE OR REPLACE FUNCTION tenure.complete(p_execution text, p_resource bigint DEFAULT 0) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  t bigint[];
  v record;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_execution, p_resource));
  t := tenure.read_execution(p_execution);
  SELECT * INTO v FROM tenure.end_attempts(tenure.own_wait_ms(), p_resource, t[1:1], t[2:2], t[3:3], t[4:4], t[5:5],
                                           '{0}', ARRAY['']);
  PERFORM tenure.tell(p_execution, v.standings[1], v.untils[1], '{4,5,6}');
END $$;

-- A failure may be the last one, or make room for a later event: it is taken all the same.
CREATE OR REPLACE FUNCTION tenure.fail(
    p_execution text, p_why text DEFAULT '', p_resource bigint DEFAULT 0, OUT standing text, OUT until timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  t bigint[];
  v record;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_execution, p_why, p_resource)), tenure.check_text('the reason', p_why, 1000);
  t := tenure.read_execution(p_execution);
  SELECT * INTO v FROM tenure.end_attempts(tenure.own_wait_ms(), p_resource, t[1:1], t[2:2], t[3:3], t[4:4], t[5:5],
                                           '{1}', ARRAY[p_why]);
  SELECT x.standing, x.until INTO fail.standing, fail.until
  FROM tenure.tell(p_execution, v.standings[1], v.untils[1], '{6}') x;
END $$;

-- The event may be claimed again at once, and this attempt does not count.
CREATE OR REPLACE FUNCTION tenure.give_back(
    p_execution text, p_resource bigint DEFAULT 0, OUT standing text, OUT until timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET jit = off SET enable_seqscan = off SET enable_sort = off
AS $$
DECLARE
  t bigint[];
  v record;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_execution, p_resource));
  t := tenure.read_execution(p_execution);
  SELECT * INTO v FROM tenure.end_attempts(tenure.own_wait_ms(), p_resource, t[1:1], t[2:2], t[3:3], t[4:4], t[5:5],
                                           '{2}', ARRAY['']);
  SELECT x.standing, x.until INTO give_back.standing, give_back.until
  FROM tenure.tell(p_execution, v.standings[1], v.untils[1], '{6}') x;
END $$;

-- ---- rights: for those who run Tenure without owning its tables, and those who guard transactions of their own ------

CREATE OR REPLACE FUNCTION tenure.must_own() RETURNS void LANGUAGE plpgsql
AS $$
BEGIN  -- of whoever may not grant, GRANT itself only warns
  IF EXISTS (SELECT FROM pg_class WHERE relnamespace = 'tenure'::regnamespace AND relkind = 'r'
             AND NOT pg_has_role(current_user, relowner, 'USAGE')) THEN
    RAISE EXCEPTION '% may not grant rights on the tables of Tenure: their owner may', current_user
      USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;

-- Programs call the functions that run with the rights of their owner, and have no rights on the tables. Those that a
-- role was given by version 1, which needed them, are taken away.
CREATE OR REPLACE FUNCTION tenure.grant_run(p_role regrole) RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
  v_function regprocedure;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_role)), tenure.must_own();
  EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA tenure FROM %s', p_role);
  EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA tenure FROM %s', p_role);
  EXECUTE format('GRANT USAGE ON SCHEMA tenure TO %s', p_role);
  EXECUTE format('GRANT SELECT ON tenure.meta, tenure.events TO %s', p_role);
  FOR v_function IN SELECT oid FROM pg_proc WHERE pronamespace = 'tenure'::regnamespace AND prosecdef LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', v_function, p_role);
  END LOOP;
END $$;
CREATE OR REPLACE FUNCTION tenure.grant_guard(p_role regrole) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_role)), tenure.must_own();
  EXECUTE format('GRANT USAGE ON SCHEMA tenure TO %s', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION tenure.assert_epoch(bigint, bigint, bigint) TO %s', p_role);
END $$;
-- Consumers see what waits for consumers, and take it. They see no schedule, and nothing that others deliver.
CREATE OR REPLACE FUNCTION tenure.grant_consume(p_role regrole) RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
  v_function regprocedure;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_role)), tenure.must_own();
  EXECUTE format('GRANT USAGE ON SCHEMA tenure TO %s', p_role);
  EXECUTE format('GRANT SELECT ON tenure.events TO %s', p_role);
  FOR v_function IN
    SELECT oid FROM pg_proc WHERE pronamespace = 'tenure'::regnamespace
      AND proname IN ('poll', 'ack', 'claim_events', 'heartbeat', 'complete', 'fail', 'give_back')
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', v_function, p_role);
  END LOOP;
END $$;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA tenure FROM PUBLIC;

-- Who could run before a migration may call what it brought.
DO $$
DECLARE
  v_granted record;
BEGIN
  FOR v_granted IN
    SELECT DISTINCT a.grantee::regrole AS role, f.oid::regprocedure AS function
    FROM pg_proc p CROSS JOIN LATERAL aclexplode(p.proacl) a CROSS JOIN pg_proc f
    WHERE p.pronamespace = 'tenure'::regnamespace AND p.proname = 'commit_fires' AND a.grantee NOT IN (0, p.proowner)
      AND f.pronamespace = 'tenure'::regnamespace AND f.prosecdef
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', v_granted.function, v_granted.role);
  END LOOP;
  -- And who could consume.
  FOR v_granted IN
    SELECT DISTINCT a.grantee::regrole AS role, f.oid::regprocedure AS function
    FROM pg_proc p CROSS JOIN LATERAL aclexplode(p.proacl) a CROSS JOIN pg_proc f
    WHERE p.pronamespace = 'tenure'::regnamespace AND p.proname = 'fail' AND a.grantee NOT IN (0, p.proowner)
      AND f.pronamespace = 'tenure'::regnamespace AND f.proname = 'give_back'
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', v_granted.function, v_granted.role);
  END LOOP;
END $$;

