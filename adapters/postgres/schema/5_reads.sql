-- ---- reads: each sees one moment, and locks nothing ---------------------------------------------------------------

-- Segments with a cursor before p_horizon, from the position after (p_cursor, p_schedule, p_version) on; p_limit is one
-- more than is wanted, to see whether there are more.
CREATE OR REPLACE FUNCTION tenure.due(
    p_resource bigint, p_horizon bigint, p_cursor bigint, p_schedule bigint, p_version bigint, p_limit bigint,
    OUT now_us bigint, OUT stamp bigint, OUT branch bigint, OUT change_seq bigint, OUT hold_since_us bigint,
    OUT hold_jump_ns bigint, OUT schedules bigint[], OUT versions bigint[], OUT begins bigint[], OUT ends bigint[],
    OUT cursors bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET enable_seqscan = off
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

CREATE OR REPLACE FUNCTION tenure.outbox(
    p_resource bigint, p_after bigint, p_limit bigint, OUT now_us bigint, OUT stamp bigint, OUT seqs bigint[],
    OUT schedules bigint[], OUT slots bigint[], OUT runs bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET enable_seqscan = off
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_after, p_limit));
  SELECT h.stamp INTO stamp FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource
  ORDER BY h.resource DESC LIMIT 1;
  SELECT array_agg(e.seq), array_agg(e.schedule), array_agg(e.slot_us), array_agg(e.run)
  INTO seqs, schedules, slots, runs
  FROM (SELECT * FROM tenure.outbox o WHERE o.resource = p_resource AND o.seq > p_after
        ORDER BY o.seq LIMIT p_limit) e;
  now_us := tenure.now_us();
END $$;

CREATE OR REPLACE FUNCTION tenure.dead(
    p_resource bigint, p_after bigint, p_limit bigint, OUT now_us bigint, OUT stamp bigint, OUT seqs bigint[],
    OUT schedules bigint[], OUT slots bigint[], OUT runs bigint[], OUT attempts bigint[], OUT since bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET enable_seqscan = off
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

CREATE OR REPLACE FUNCTION tenure.changes(
    p_resource bigint, p_after bigint, p_limit bigint, OUT now_us bigint, OUT stamp bigint, OUT branch bigint,
    OUT hold_since_us bigint, OUT hold_jump_ns bigint, OUT seqs bigint[], OUT schedules bigint[], OUT versions bigint[],
    OUT begins bigint[], OUT ends bigint[], OUT cursors bigint[], OUT deletes int[], OUT definitions text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET enable_seqscan = off
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
