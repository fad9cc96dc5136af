-- migration 1: leases, schedules, the ledger, the change feed and the outbox, and the requests as functions
--
-- The tables of Tenure in Postgres. Each migration begins with a line like the one above and is executed once, in
-- order (adapters/postgres/migrate.h). Times are microseconds since the Unix epoch; 9223372036854775 is never. Numbers
-- of 64 bits without a sign (nonce, run) are kept as the signed ones of the same bits.
--
-- Locks, in this order and no other: the lease row, then the head row, then what is below a head.
CREATE TABLE tenure.meta (
  one int PRIMARY KEY CHECK (one = 1),
  schema_version int NOT NULL
);

-- core/store/house/lease.h. Room on the page for the versions of a row that is renewed all the time.
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
  definition text NOT NULL,               -- JSON: adapters/store/definition_codec.h
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

-- The store's clock. In a function of its own for the sake of tests, which put another in its place.
CREATE FUNCTION tenure.now_us() RETURNS bigint LANGUAGE sql VOLATILE
AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint $$;

-- The store's branch: the timeline that is written now. (The control file may still say the one before a promotion.)
CREATE FUNCTION tenure.branch() RETURNS bigint LANGUAGE sql VOLATILE
AS $$ SELECT ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint $$;

-- The first thing that every request does: no lock is waited for longer than this, and what is acknowledged is on the
-- disk whatever the server's setting.
CREATE FUNCTION tenure.prepare(p_wait_ms bigint) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('lock_timeout', p_wait_ms::text, true);
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
END $$;

-- For those who run Tenure without owning its tables, and for those who only guard transactions of their own.
CREATE FUNCTION tenure.must_own() RETURNS void LANGUAGE plpgsql
AS $$
BEGIN  -- of whoever may not grant, GRANT itself only warns
  IF EXISTS (SELECT FROM pg_class WHERE relnamespace = 'tenure'::regnamespace AND relkind = 'r'
             AND NOT pg_has_role(current_user, relowner, 'USAGE')) THEN
    RAISE EXCEPTION '% may not grant rights on the tables of Tenure: their owner may', current_user
      USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;
CREATE FUNCTION tenure.grant_run(p_role regrole) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM tenure.must_own();
  EXECUTE format('GRANT USAGE ON SCHEMA tenure TO %s', p_role);
  EXECUTE format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA tenure TO %s', p_role);
  EXECUTE format('GRANT SELECT ON tenure.meta TO %s', p_role);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.lease, tenure.head, tenure.schedule, tenure.segment, '
                 'tenure.exception, tenure.change, tenure.outbox, tenure.run TO %s', p_role);
END $$;
CREATE FUNCTION tenure.grant_guard(p_role regrole) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM tenure.must_own();
  EXECUTE format('GRANT USAGE ON SCHEMA tenure TO %s', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION tenure.assert_epoch(bigint, bigint, bigint) TO %s', p_role);
END $$;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA tenure FROM PUBLIC;
