-- migration 1: the tables of 0.1.0
--
-- The tables of Tenure in Postgres. Each migration begins with a line like the one above and is executed once, in
-- order; after the last one all functions are made again (2_basics.sql and what follows). Times are microseconds since
-- the Unix epoch; 9223372036854775 is never. Numbers of 64 bits without a sign (nonce, run) are kept as the signed ones
-- of the same bits.
--
-- Locks, in this order and no other: the lease row, then the head row, then what is below a head. A consumer's
-- transaction locks the events that it changes, and the head when it commits (docs/adr/0100). So whoever holds the head
-- passes over events that are locked.
CREATE TABLE tenure.meta (
  one int PRIMARY KEY CHECK (one = 1),
  schema_version int NOT NULL,
  -- Which store this is, so that nobody takes another one for it.
  identity uuid NOT NULL DEFAULT gen_random_uuid()
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
  stamp bigint NOT NULL DEFAULT 0,
  history_seq bigint NOT NULL DEFAULT 0,  -- the last number of the history
  next_node bigint NOT NULL DEFAULT 1000,
  attempts_us bigint NOT NULL DEFAULT -9223372036854775  -- the latest time that an attempt was written with
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Tombstones included. A schedule that was put by number has no name: its number is its name.
CREATE TABLE tenure.schedule (
  resource bigint NOT NULL,
  schedule bigint NOT NULL,
  version bigint NOT NULL,
  change_seq bigint NOT NULL,             -- of the version in force, or of the delete
  since_us bigint NOT NULL,
  deleted boolean NOT NULL DEFAULT false,
  name text COLLATE "C",
  pause_actor text NOT NULL DEFAULT '',
  pause_why text NOT NULL DEFAULT '',
  pause_us bigint NOT NULL,
  PRIMARY KEY (resource, schedule)
);
CREATE UNIQUE INDEX schedule_name ON tenure.schedule (resource, coalesce(name, schedule::text COLLATE "C"))
  WHERE NOT deleted;

-- How events of a version are delivered, where that is not the leader's own work. `kind`: 1 pull, 2 push; `overlap`: 0
-- allow, 1 skip, 2 queue_one, 3 replace.
CREATE TYPE tenure.delivery AS (
  kind int, destination text, overlap int, strict_order boolean, attempts bigint, back_off_us bigint,
  longest_us bigint);

-- What is not drained yet. Everything before the cursor is covered: the ledger's watermark. Vacuum keeps the server's
-- own pace, here and in the outbox: without pauses it writes to the log as fast as it can, and commits wait for that. A
-- leader's renewals do, too.
CREATE TABLE tenure.segment (
  resource bigint NOT NULL,
  schedule bigint NOT NULL,
  version bigint NOT NULL,
  begin_us bigint NOT NULL,
  end_us bigint NOT NULL DEFAULT 9223372036854775,
  cursor_us bigint NOT NULL,
  covered_us bigint NOT NULL,             -- an edit cuts no earlier
  delivery tenure.delivery,               -- null: by the leader's own work
  PRIMARY KEY (resource, schedule, version)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX segment_due ON tenure.segment (resource, cursor_us, schedule, version);
-- Versions in force that have no slot left, by when that began.
CREATE INDEX segment_finished ON tenure.segment (resource, greatest(begin_us, covered_us), schedule)
  WHERE cursor_us = 9223372036854775 AND end_us = 9223372036854775;

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
CREATE INDEX exception_ended ON tenure.exception (resource, to_us, schedule, version, from_us);

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
  what int NOT NULL DEFAULT 0,            -- put, paused, resumed
  actor text NOT NULL DEFAULT '',
  why text NOT NULL DEFAULT '',
  PRIMARY KEY (resource, seq)
);
CREATE INDEX change_ended ON tenure.change (resource, ended_us, seq) WHERE ended_us < 9223372036854775;

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
  labels text NOT NULL,                              -- JSON: adapters/store/payload_codec.h
  description text NOT NULL,
  PRIMARY KEY (resource, schedule, version)
);
CREATE INDEX payload_ended ON tenure.payload (resource, ended_us) WHERE last < 4294967295;

CREATE TABLE tenure.outbox (
  resource bigint NOT NULL,
  seq bigint NOT NULL,
  slot_us bigint NOT NULL,
  schedule bigint NOT NULL,
  run bigint NOT NULL,                    -- 0: no manual run
  version bigint NOT NULL,                -- that fired
  at_us bigint NOT NULL,                  -- when it was committed
  PRIMARY KEY (resource, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);
-- By time first: events come and go mostly in that order.
CREATE UNIQUE INDEX outbox_event ON tenure.outbox (resource, slot_us, schedule, run);

CREATE TABLE tenure.run (
  resource bigint NOT NULL,
  schedule bigint NOT NULL,
  run bigint NOT NULL,
  asked_us bigint NOT NULL,
  at_us bigint NOT NULL,                  -- by the client's clock
  digest bigint NOT NULL,                 -- of the request; 0: the client did not say
  PRIMARY KEY (resource, schedule, run)
);
CREATE INDEX run_asked ON tenure.run (resource, asked_us);

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
  released bigint NOT NULL DEFAULT 0,     -- so many of the attempts were given back, and do not count
  PRIMARY KEY (resource, seq)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);
CREATE UNIQUE INDEX waiting_event ON tenure.waiting (resource, slot_us, schedule, run);
CREATE INDEX waiting_schedule ON tenure.waiting (resource, schedule, seq);
CREATE INDEX waiting_name ON tenure.waiting (resource, kind, name, seq);
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
CREATE INDEX waiting_claimed ON tenure.waiting (resource, schedule, seq) WHERE claimed;

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

-- Whose work was given up: taken from the outbox, and kept until retention or a redrive.
CREATE TABLE tenure.dead (
  resource bigint NOT NULL,
  seq bigint NOT NULL,                    -- what the number in the outbox was
  slot_us bigint NOT NULL,
  schedule bigint NOT NULL,
  run bigint NOT NULL,                    -- 0: no manual run
  attempts bigint NOT NULL,               -- how often the work failed
  since_us bigint NOT NULL,
  version bigint NOT NULL,                -- that fired
  name text COLLATE "C",                  -- of those that others deliver; null: of the outbox
  delivery tenure.delivery,               -- likewise
  why text NOT NULL,
  discarded_us bigint,                    -- null: nobody has
  discarded_by text NOT NULL DEFAULT '',
  PRIMARY KEY (resource, seq)
);
CREATE INDEX dead_event ON tenure.dead (resource, slot_us, schedule, run);
CREATE INDEX dead_since ON tenure.dead (resource, since_us, seq);
CREATE INDEX dead_kept ON tenure.dead (resource, seq) WHERE discarded_us IS NULL;

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

-- What acquire, renew and release answer. `why`: null when granted or released. `left_us`: for a refusal.
CREATE TYPE tenure.lease_reply AS (
  now_us bigint, stamp bigint, why int, holder_node bigint, holder_life bigint, branch bigint, epoch bigint,
  nonce bigint, promise_us bigint, left_us bigint);

-- `outcome`: 0 done, 1 nothing to do, 2 refused (`why`: the numbers of EditDenial), 3 look again.
CREATE TYPE tenure.edit_reply AS (
  now_us bigint, stamp bigint, outcome int, why int, version bigint, change_seq bigint, since_us bigint);

-- migration 2: no table; functions that say how far schedules are covered

-- migration 3: which run of the server last wrote the lease, and when; acknowledgements say who has had the event
ALTER TABLE tenure.lease ADD COLUMN server_us bigint NOT NULL DEFAULT 0;  -- tenure.server_us(); 0: nothing is known
ALTER TABLE tenure.lease ADD COLUMN seen_us bigint NOT NULL DEFAULT 0;
-- Changes by transactions of consumers of which the head will tell when they commit: no other transaction ever sees a row.
CREATE TABLE tenure.unsettled (
  change bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  resource bigint NOT NULL,
  attempts_us bigint,                     -- as in tenure.head
  schedule bigint,                        -- of an event that gave way to a later one, of which the history is to tell;
  version bigint,                         -- null: there is none
  slot_us bigint,
  run bigint
);
