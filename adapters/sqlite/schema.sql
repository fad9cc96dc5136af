-- The tables of Tenure in SQLite. Each migration begins with a line `-- migration N: …` and is executed once, in order, in
-- one transaction with those before it that are missing (adapters/sqlite/migrate.h).
--
-- Times are microseconds since the Unix epoch; 9223372036854775 is never. Numbers of 64 bits without a sign (epoch,
-- nonce, run) are kept as the signed ones of the same bits.

-- migration 1: the tables of 0.1.0
CREATE TABLE tenure_meta (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  schema_version INTEGER NOT NULL,
  branch INTEGER NOT NULL,  -- a restored backup goes on under a larger one
  identity TEXT NOT NULL DEFAULT (lower(hex(randomblob(16))))  -- so that nobody takes another store for this one
) STRICT;

-- All that is one of a kind for a resource, so that a transaction writes one row of it.
CREATE TABLE tenure_resource (
  resource INTEGER PRIMARY KEY,
  commits INTEGER NOT NULL,      -- how often something of the resource was changed
  holder_node INTEGER NOT NULL,  -- the lease (core/store/reference/lease.h)
  holder_life INTEGER NOT NULL,  -- 0: nobody
  epoch INTEGER NOT NULL,
  nonce INTEGER NOT NULL,
  branch INTEGER NOT NULL,
  written_us INTEGER NOT NULL,
  expires_us INTEGER NOT NULL,
  hold_since_us INTEGER,         -- null: no hold
  hold_jump_ns INTEGER,
  change_seq INTEGER NOT NULL,   -- the last number of the feed
  outbox_seq INTEGER NOT NULL,   -- and of the outbox
  history_seq INTEGER NOT NULL,  -- and of the history
  next_node INTEGER NOT NULL,
  attempts_us INTEGER NOT NULL,  -- the latest time that an attempt was written with
  clients_events INTEGER NOT NULL -- how often clients have added events
) STRICT;

-- Tombstones included. A schedule that was put by number has no name: its number is its name.
CREATE TABLE tenure_schedule (
  resource INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  version INTEGER NOT NULL,
  change_seq INTEGER NOT NULL,   -- of the version in force, or of the delete
  since_us INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  name TEXT,
  pause_actor TEXT NOT NULL,
  pause_why TEXT NOT NULL,
  pause_us INTEGER NOT NULL,
  PRIMARY KEY (resource, schedule)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tenure_schedule_name ON tenure_schedule (resource, coalesce(name, CAST(schedule AS TEXT)))
  WHERE deleted = 0;

-- What is not drained yet. Everything before the cursor is covered: the ledger's watermark.
CREATE TABLE tenure_segment (
  resource INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  version INTEGER NOT NULL,
  begin_us INTEGER NOT NULL,
  end_us INTEGER NOT NULL,
  cursor_us INTEGER NOT NULL,
  covered_us INTEGER NOT NULL,   -- an edit cuts no earlier
  delivery TEXT,                 -- JSON: core/journal/definition_codec.h; null: by the leader's own work
  PRIMARY KEY (resource, schedule, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX tenure_segment_due ON tenure_segment (resource, cursor_us, schedule, version);
-- Versions in force that have no slot left, by when that began.
CREATE INDEX tenure_segment_finished ON tenure_segment (resource, max(begin_us, covered_us), schedule)
  WHERE cursor_us = 9223372036854775 AND end_us = 9223372036854775;

-- What became of slots before the watermark that did not fire.
CREATE TABLE tenure_exception (
  resource INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  version INTEGER NOT NULL,
  from_us INTEGER NOT NULL,
  to_us INTEGER NOT NULL,
  slot_us INTEGER NOT NULL,      -- coalesced: into which
  what TEXT NOT NULL CHECK (what IN ('coalesced', 'missed', 'paused', 'overlapped', 'deleted')),
  PRIMARY KEY (resource, schedule, version, from_us)
) STRICT, WITHOUT ROWID;
CREATE INDEX tenure_exception_ended ON tenure_exception (resource, to_us);

CREATE TABLE tenure_change (
  resource INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  version INTEGER NOT NULL,
  begin_us INTEGER NOT NULL,     -- the segment as it began
  end_us INTEGER NOT NULL,
  cursor_us INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  ended_us INTEGER NOT NULL,     -- and where it ended since
  definition TEXT NOT NULL,      -- JSON: core/journal/definition_codec.h
  what INTEGER NOT NULL,         -- put, paused, resumed
  actor TEXT NOT NULL,
  why TEXT NOT NULL,
  PRIMARY KEY (resource, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX tenure_change_ended ON tenure_change (resource, ended_us);

-- For the versions from `version` to `last`. Leaders never read it.
CREATE TABLE tenure_payload (
  resource INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  version INTEGER NOT NULL,
  last INTEGER NOT NULL DEFAULT 4294967295,          -- this: it is in force
  ended_us INTEGER NOT NULL DEFAULT 9223372036854775,
  topic TEXT NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL,            -- JSON
  labels TEXT NOT NULL,          -- JSON: adapters/store/payload_codec.h
  description TEXT NOT NULL,
  PRIMARY KEY (resource, schedule, version)
) STRICT;
CREATE INDEX tenure_payload_ended ON tenure_payload (resource, ended_us) WHERE last < 4294967295;

CREATE TABLE tenure_outbox (
  resource INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  slot_us INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  run INTEGER NOT NULL,          -- 0: no manual run
  version INTEGER NOT NULL,      -- that fired
  at_us INTEGER NOT NULL,        -- when it was committed
  PRIMARY KEY (resource, seq)
) STRICT, WITHOUT ROWID;
-- By time first: events come and go mostly in that order.
CREATE UNIQUE INDEX tenure_outbox_event ON tenure_outbox (resource, slot_us, schedule, run);

CREATE TABLE tenure_run (
  resource INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  run INTEGER NOT NULL,
  asked_us INTEGER NOT NULL,
  at_us INTEGER NOT NULL,        -- by the client's clock
  digest INTEGER NOT NULL,       -- of the request; 0: the client did not say
  PRIMARY KEY (resource, schedule, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX tenure_run_asked ON tenure_run (resource, asked_us);

-- Events that are pulled or pushed (core/store/reference/waiting.h).
CREATE TABLE tenure_waiting (
  resource INTEGER NOT NULL,
  seq INTEGER NOT NULL,          -- in one row of numbers with the outbox
  slot_us INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  run INTEGER NOT NULL,          -- 0: no manual run
  version INTEGER NOT NULL,
  kind INTEGER NOT NULL,         -- 1 pull, 2 push
  name TEXT NOT NULL,            -- the topic, the destination
  delivery TEXT NOT NULL,        -- as in tenure_segment
  at_us INTEGER NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  nonce INTEGER NOT NULL DEFAULT 0,
  claimed INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0,
  from_us INTEGER NOT NULL DEFAULT 0,
  until_us INTEGER NOT NULL DEFAULT 0,
  worker TEXT NOT NULL DEFAULT '',
  why TEXT NOT NULL DEFAULT '',
  released INTEGER NOT NULL DEFAULT 0,  -- so many of the attempts were given back, and do not count
  -- How it is handed out: 2 in strict order, 1 one of its schedule at a time, 0 at any time.
  turn INTEGER AS (
    CASE WHEN instr(delivery, '"strict_order":true') THEN 2 WHEN instr(delivery, '"overlap":"allow"') THEN 0 ELSE 1 END),
  PRIMARY KEY (resource, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tenure_waiting_event ON tenure_waiting (resource, slot_us, schedule, run);
CREATE INDEX tenure_waiting_schedule ON tenure_waiting (resource, schedule, seq);
CREATE INDEX tenure_waiting_name ON tenure_waiting (resource, kind, name, seq);
CREATE INDEX tenure_waiting_kind ON tenure_waiting (resource, kind, seq);
-- Events that are worked on, or wait for the next attempt. Those that nobody has tried, by how they are handed out; and
-- where that is one at a time, by their schedules.
CREATE INDEX tenure_waiting_tried ON tenure_waiting (resource, name, claimed, until_us) WHERE attempt > 0;
CREATE INDEX tenure_waiting_fresh ON tenure_waiting (resource, name, turn, seq) WHERE kind = 1 AND attempt = 0;
CREATE INDEX tenure_waiting_turn ON tenure_waiting (resource, name, turn, schedule, seq)
  WHERE kind = 1 AND attempt = 0 AND turn > 0;
CREATE INDEX tenure_waiting_at_work ON tenure_waiting (resource, schedule, seq) WHERE claimed;

-- What became of the last attempt at events that wait no more.
CREATE TABLE tenure_ended (
  resource INTEGER NOT NULL,
  slot_us INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  run INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  nonce INTEGER NOT NULL,
  how INTEGER NOT NULL,          -- Standing
  at_us INTEGER NOT NULL,
  PRIMARY KEY (resource, slot_us, schedule, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX tenure_ended_at ON tenure_ended (resource, at_us);

-- Whose work was given up: taken from the outbox, and kept until retention or a redrive.
CREATE TABLE tenure_dead (
  resource INTEGER NOT NULL,
  seq INTEGER NOT NULL,          -- what the number in the outbox was
  slot_us INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  run INTEGER NOT NULL,          -- 0: no manual run
  attempts INTEGER NOT NULL,     -- how often the work failed
  since_us INTEGER NOT NULL,
  version INTEGER NOT NULL,      -- that fired
  name TEXT,                     -- of those that others deliver; null: of the outbox
  delivery TEXT,                 -- likewise
  why TEXT NOT NULL,
  discarded_us INTEGER,          -- null: nobody has
  discarded_by TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (resource, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX tenure_dead_event ON tenure_dead (resource, slot_us, schedule, run);
CREATE INDEX tenure_dead_since ON tenure_dead (resource, since_us);
CREATE INDEX tenure_dead_kept ON tenure_dead (resource, seq) WHERE discarded_us IS NULL;

CREATE TABLE tenure_history (
  resource INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  version INTEGER NOT NULL,
  what INTEGER NOT NULL,         -- Disposition
  slot_us INTEGER NOT NULL,
  run INTEGER NOT NULL,
  from_us INTEGER NOT NULL,
  to_us INTEGER NOT NULL,
  slots INTEGER NOT NULL,
  at_us INTEGER NOT NULL,
  PRIMARY KEY (resource, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX tenure_history_schedule ON tenure_history (resource, schedule, seq);

CREATE TABLE tenure_node (
  resource INTEGER NOT NULL,
  node INTEGER NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  since_us INTEGER NOT NULL,
  seen_us INTEGER NOT NULL,
  PRIMARY KEY (resource, node)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tenure_node_key ON tenure_node (resource, key);

-- migration 2: how the clock stood
ALTER TABLE tenure_resource ADD COLUMN boot TEXT NOT NULL DEFAULT '';          -- of the machine that wrote last
ALTER TABLE tenure_resource ADD COLUMN booted_us INTEGER NOT NULL DEFAULT 0;  -- when that was, by its clock
ALTER TABLE tenure_resource ADD COLUMN seen_us INTEGER NOT NULL DEFAULT 0;    -- and when it wrote
