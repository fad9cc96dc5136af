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
LANGUAGE plpgsql STABLE @called@
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
LANGUAGE plpgsql STABLE @called@
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

-- Dead events that nobody has discarded, or the others, with who has.
CREATE OR REPLACE FUNCTION tenure.dead_events(
    p_resource bigint, p_after bigint, p_limit bigint, p_discarded boolean, OUT now_us bigint, OUT stamp bigint,
    OUT seqs bigint[], OUT schedules bigint[], OUT slots bigint[], OUT runs bigint[], OUT attempts bigint[],
    OUT since bigint[], OUT whys text[], OUT actors text[], OUT ats bigint[])
LANGUAGE plpgsql STABLE @called@
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
LANGUAGE plpgsql STABLE @called@
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

-- How much waits, up to p_most of each.
CREATE OR REPLACE FUNCTION tenure.depths(
    p_resource bigint, p_most bigint, OUT now_us bigint, OUT stamp bigint, OUT events bigint[], OUT oldest bigint[])
LANGUAGE plpgsql STABLE @called@
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
    coalesce((SELECT o.at_us FROM tenure.outbox o WHERE o.resource = p_resource
              ORDER BY o.seq LIMIT 1), 0),
    coalesce((SELECT w.at_us FROM tenure.waiting w WHERE w.resource = p_resource AND w.kind >= 1 AND w.kind <= 1
              ORDER BY w.kind, w.seq LIMIT 1), 0),
    coalesce((SELECT w.at_us FROM tenure.waiting w WHERE w.resource = p_resource AND w.kind >= 2 AND w.kind <= 2
              ORDER BY w.kind, w.seq LIMIT 1), 0),
    coalesce((SELECT d.since_us FROM tenure.dead d WHERE d.resource = p_resource AND d.discarded_us IS NULL
              ORDER BY d.seq LIMIT 1), 0)];
  now_us := tenure.now_us();
END $$;

-- Versions in force that are covered further than the clock has come, and until when the last one is. It looks at all.
CREATE OR REPLACE FUNCTION tenure.depths_ahead(
    p_resource bigint, p_most bigint, OUT now_us bigint, OUT stamp bigint, OUT events bigint[], OUT oldest bigint[],
    OUT ahead bigint, OUT ahead_until bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
AS $$
BEGIN
  SELECT d.* INTO now_us, stamp, events, oldest FROM tenure.depths(p_resource, p_most) d;
  SELECT count(*), coalesce(max(greatest(g.begin_us, g.covered_us)), 0) INTO ahead, ahead_until FROM tenure.segment g
  WHERE g.resource = p_resource AND g.end_us = 9223372036854775
    AND greatest(g.begin_us, g.covered_us) > depths_ahead.now_us + 1;
END $$;

-- The history from p_from on, forwards or, where p_back is true, backwards; of one schedule, or of all where it is -1.
CREATE OR REPLACE FUNCTION tenure.history_rows(
    p_resource bigint, p_schedule bigint, p_from bigint, p_back boolean, p_limit bigint, OUT now_us bigint,
    OUT stamp bigint, OUT branch bigint, OUT forgotten bigint, OUT last bigint, OUT seqs bigint[],
    OUT schedules bigint[], OUT versions bigint[], OUT whats bigint[], OUT slots bigint[], OUT runs bigint[],
    OUT froms bigint[], OUT tos bigint[], OUT counts bigint[], OUT ats bigint[])
LANGUAGE plpgsql STABLE @called@
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

-- For a commit that waits too long: the session that has had locks on what it needs for the longest time, in words; empty:
-- there is none. A lock on a row is seen by that on its table, which its transaction keeps.
CREATE OR REPLACE FUNCTION tenure.lock_holder() RETURNS text LANGUAGE plpgsql STABLE @called@
AS $$
BEGIN
  RETURN coalesce((
    SELECT format('session %s of role %s, %s, in a transaction for %s s, has locked tenure.%s: %s', a.pid, a.usename,
                  coalesce(a.state, 'at work'),
                  round(extract(epoch FROM clock_timestamp() - a.xact_start)), c.relname,
                  left(regexp_replace(a.query, '\s+', ' ', 'g'), 200))
    FROM pg_locks l
    JOIN pg_class c ON c.oid = l.relation AND c.relnamespace = 'tenure'::regnamespace
    JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.granted AND l.pid <> pg_backend_pid() AND a.datname = current_database()
      AND l.mode NOT IN ('AccessShareLock', 'ShareUpdateExclusiveLock')
      AND (c.relname IN ('lease', 'head') OR l.mode NOT IN ('RowShareLock', 'RowExclusiveLock'))
    ORDER BY a.xact_start, a.pid LIMIT 1), '');
END $$;

CREATE OR REPLACE FUNCTION tenure.nodes(
    p_resource bigint, OUT now_us bigint, OUT stamp bigint, OUT nodes bigint[], OUT names text[], OUT since bigint[],
    OUT seen bigint[])
LANGUAGE plpgsql STABLE @called@
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
LANGUAGE plpgsql STABLE @called@
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
LANGUAGE plpgsql STABLE @called@
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
