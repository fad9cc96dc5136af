-- The tables of version 8, as they were released: what a file looks like that an older program has made.


-- migration 1: leases, schedules, the ledger, the change feed and the outbox
CREATE TABLE tenure_meta (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  schema_version INTEGER NOT NULL,
  branch INTEGER NOT NULL  -- a restored backup goes on under a larger one
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
  outbox_seq INTEGER NOT NULL    -- and of the outbox
) STRICT;

-- Tombstones included.
CREATE TABLE tenure_schedule (
  resource INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  version INTEGER NOT NULL,
  change_seq INTEGER NOT NULL,   -- of the version in force, or of the delete
  since_us INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  PRIMARY KEY (resource, schedule)
) STRICT, WITHOUT ROWID;

-- What is not drained yet. Everything before the cursor is covered: the ledger's watermark.
CREATE TABLE tenure_segment (
  resource INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  version INTEGER NOT NULL,
  begin_us INTEGER NOT NULL,
  end_us INTEGER NOT NULL,
  cursor_us INTEGER NOT NULL,
  covered_us INTEGER NOT NULL,   -- an edit cuts no earlier
  PRIMARY KEY (resource, schedule, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX tenure_segment_due ON tenure_segment (resource, cursor_us, schedule, version);

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
  PRIMARY KEY (resource, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE tenure_outbox (
  resource INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  slot_us INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  run INTEGER NOT NULL,          -- 0: no manual run
  PRIMARY KEY (resource, seq)
) STRICT, WITHOUT ROWID;
-- By time first: events come and go mostly in that order.
CREATE UNIQUE INDEX tenure_outbox_event ON tenure_outbox (resource, slot_us, schedule, run);

CREATE TABLE tenure_run (
  resource INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  run INTEGER NOT NULL,
  asked_us INTEGER NOT NULL,
  PRIMARY KEY (resource, schedule, run)
) STRICT, WITHOUT ROWID;

INSERT INTO tenure_meta VALUES (1, 1, 1);

-- migration 2: an identity, dead events, and what is forgotten is found by when it ended
-- Which store this is, in hexadecimal digits, so that nobody takes another one for it.
ALTER TABLE tenure_meta ADD COLUMN identity TEXT NOT NULL DEFAULT '';
UPDATE tenure_meta SET identity = lower(hex(randomblob(16)));

-- Whose work was given up: taken from the outbox, and kept until retention or a redrive.
CREATE TABLE tenure_dead (
  resource INTEGER NOT NULL,
  seq INTEGER NOT NULL,          -- what the number in the outbox was
  slot_us INTEGER NOT NULL,
  schedule INTEGER NOT NULL,
  run INTEGER NOT NULL,          -- 0: no manual run
  attempts INTEGER NOT NULL,     -- how often the work failed
  since_us INTEGER NOT NULL,
  PRIMARY KEY (resource, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX tenure_dead_event ON tenure_dead (resource, slot_us, schedule, run);
CREATE INDEX tenure_dead_since ON tenure_dead (resource, since_us);
CREATE INDEX tenure_exception_ended ON tenure_exception (resource, to_us);
CREATE INDEX tenure_change_ended ON tenure_change (resource, ended_us);
CREATE INDEX tenure_run_asked ON tenure_run (resource, asked_us);

UPDATE tenure_meta SET schema_version = 2;

-- migration 3: names, payloads, who paused a schedule and who did what
-- A schedule that was put by number has none: its number is its name. What programs of version 2 write has none either.
ALTER TABLE tenure_schedule ADD COLUMN name TEXT;
ALTER TABLE tenure_schedule ADD COLUMN pause_actor TEXT NOT NULL DEFAULT '';
ALTER TABLE tenure_schedule ADD COLUMN pause_why TEXT NOT NULL DEFAULT '';
ALTER TABLE tenure_schedule ADD COLUMN pause_us INTEGER;  -- null: since the version in force
CREATE UNIQUE INDEX tenure_schedule_name ON tenure_schedule (resource, coalesce(name, CAST(schedule AS TEXT)))
  WHERE deleted = 0;

ALTER TABLE tenure_change ADD COLUMN what INTEGER NOT NULL DEFAULT 0;  -- put, paused, resumed
ALTER TABLE tenure_change ADD COLUMN actor TEXT NOT NULL DEFAULT '';
ALTER TABLE tenure_change ADD COLUMN why TEXT NOT NULL DEFAULT '';

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
  labels TEXT NOT NULL,          -- JSON: core/journal/payload_codec.h
  description TEXT NOT NULL,
  PRIMARY KEY (resource, schedule, version)
) STRICT;
CREATE INDEX tenure_payload_ended ON tenure_payload (resource, ended_us) WHERE last < 4294967295;

-- The version that fired. 0: a program of version 2 did not say.
ALTER TABLE tenure_outbox ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tenure_dead ADD COLUMN version INTEGER NOT NULL DEFAULT 0;

UPDATE tenure_meta SET schema_version = 3;

-- migration 4: events that others deliver, what became of slots, and instances that register
-- How events of the version are delivered: JSON, core/journal/definition_codec.h; null: by the leader's own work.
ALTER TABLE tenure_segment ADD COLUMN delivery TEXT;
-- Versions in force that have no slot left, by when that began.
CREATE INDEX tenure_segment_finished ON tenure_segment (resource, max(begin_us, covered_us), schedule)
  WHERE cursor_us = 9223372036854775 AND end_us = 9223372036854775;

ALTER TABLE tenure_resource ADD COLUMN history_seq INTEGER NOT NULL DEFAULT 0;  -- the last number of the history
ALTER TABLE tenure_resource ADD COLUMN next_node INTEGER NOT NULL DEFAULT 1000;
-- The latest time that an attempt was written with.
ALTER TABLE tenure_resource ADD COLUMN attempts_us INTEGER NOT NULL DEFAULT -9223372036854775;

-- When it was committed; null: a program of version 3 did not say.
ALTER TABLE tenure_outbox ADD COLUMN at_us INTEGER;

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
  PRIMARY KEY (resource, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tenure_waiting_event ON tenure_waiting (resource, slot_us, schedule, run);
CREATE INDEX tenure_waiting_schedule ON tenure_waiting (resource, schedule, seq);
CREATE INDEX tenure_waiting_name ON tenure_waiting (resource, kind, name, seq);

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

-- Of those that others deliver; null: of the outbox.
ALTER TABLE tenure_dead ADD COLUMN name TEXT;
ALTER TABLE tenure_dead ADD COLUMN delivery TEXT;
ALTER TABLE tenure_dead ADD COLUMN why TEXT NOT NULL DEFAULT '';

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

UPDATE tenure_meta SET schema_version = 4;

-- migration 5: what a manual run was asked for with
-- When, by the client's clock, and a digest of the request. These defaults: a program of version 4 did not say.
ALTER TABLE tenure_run ADD COLUMN at_us INTEGER NOT NULL DEFAULT 9223372036854775;
ALTER TABLE tenure_run ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;

UPDATE tenure_meta SET schema_version = 5;

-- migration 6: dead events that somebody lets go, and claims that are given back
ALTER TABLE tenure_dead ADD COLUMN discarded_us INTEGER;  -- null: nobody has
ALTER TABLE tenure_dead ADD COLUMN discarded_by TEXT NOT NULL DEFAULT '';
CREATE INDEX tenure_dead_kept ON tenure_dead (resource, seq) WHERE discarded_us IS NULL;

-- So many of the attempts were given back, and do not count.
ALTER TABLE tenure_waiting ADD COLUMN released INTEGER NOT NULL DEFAULT 0;

UPDATE tenure_meta SET schema_version = 6;

-- migration 7: what is claimed, to be found among what waits
CREATE INDEX tenure_waiting_claimed ON tenure_waiting (resource, name, seq) WHERE claimed;

UPDATE tenure_meta SET schema_version = 7;

-- migration 8: what waits is found by its kind, by when it is over, and by whose turn it is
-- How it is handed out: 2 in strict order, 1 one of its schedule at a time, 0 at any time.
ALTER TABLE tenure_waiting ADD COLUMN turn INTEGER AS (
  CASE WHEN instr(delivery, '"strict_order":true') THEN 2 WHEN instr(delivery, '"overlap":"allow"') THEN 0 ELSE 1 END);
CREATE INDEX tenure_waiting_kind ON tenure_waiting (resource, kind, seq);
-- Events that are worked on, or wait for the next attempt. Those that nobody has tried, by how they are handed out; and
-- where that is one at a time, by their schedules. (Programs of version 7 use tenure_waiting_claimed.)
CREATE INDEX tenure_waiting_tried ON tenure_waiting (resource, name, claimed, until_us) WHERE attempt > 0;
CREATE INDEX tenure_waiting_fresh ON tenure_waiting (resource, name, turn, seq) WHERE kind = 1 AND attempt = 0;
CREATE INDEX tenure_waiting_turn ON tenure_waiting (resource, name, turn, schedule, seq)
  WHERE kind = 1 AND attempt = 0 AND turn > 0;
CREATE INDEX tenure_waiting_at_work ON tenure_waiting (resource, schedule, seq) WHERE claimed;

UPDATE tenure_meta SET schema_version = 8;
