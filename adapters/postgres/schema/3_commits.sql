-- ---- what the leader writes --------------------------------------------------------------------------------------

-- How the head is looked for: `resource >= … AND resource <= … ORDER BY resource DESC LIMIT 1`, and then by its place.
-- While somebody has a snapshot open, a backup for example, all versions of the row are kept, thousands for each
-- second. An equation is searched from the oldest one on, or the whole table if it was one page when the plan was made;
-- from this end the newest one comes first. Hence enable_seqscan, too.

-- The lease and the head, locked, and the clock, in this order. `o_why`: as tenure.denial. The lease cannot change
-- hands until this commits, but it can be renewed: whoever waited for the head looks again before it calls the lease
-- expired.
CREATE OR REPLACE FUNCTION tenure.lead(
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

-- Whether a row only says that no slot is left of the segment in force. (Other rows to the end of time fire.)
CREATE OR REPLACE FUNCTION tenure.is_end(p_what int, p_to bigint) RETURNS boolean LANGUAGE sql IMMUTABLE
AS $$ SELECT p_what <> 0 AND p_to = 9223372036854775 $$;

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
    CONTINUE WHEN results[i] <> 0 OR tenure.is_end(p_what[i], p_to[i]);
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
-- Mostly all rows are fires, each of another schedule, and none is the last of its segment. One statement moves these
-- cursors, and if there is nothing else among the rows it writes all the rest. Otherwise the rows that it passed over,
-- all of them if a schedule has several, are judged one by one, as the machine does it, and a few statements write the
-- rest, however many rows there are.
--
-- A list is read as `list[n]`: the server copies each element of a list that is unnested. There is one plan for all
-- lists, because the server would plan anew for each list that is shorter than it expects.
CREATE OR REPLACE FUNCTION tenure.commit_fires(
    p_wait_ms bigint, p_resource bigint, p_node bigint, p_life bigint, p_branch bigint, p_epoch bigint, p_nonce bigint,
    p_schedule bigint[], p_version bigint[], p_from bigint[], p_to bigint[], p_slot bigint[], p_covered bigint[],
    p_ready bigint[], p_what int[], p_slots bigint[], OUT now_us bigint, OUT stamp bigint, OUT why int,
    OUT held boolean, OUT results int[])
LANGUAGE plpgsql @called@ SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  v_lead record;
  r record;
  v_schedule bigint;
  v_version bigint;
  v_cursor bigint;         -- of the segment in hand; null: there is none
  v_place tid;             -- where it is, for as long as the head is locked
  v_moved int[];           -- the rows that moved their cursors in one statement
  v_delivered int[];       -- those of them whose events are delivered by others
  v_as tenure.delivery[];  -- and how
  v_all boolean;           -- it did everything
  v_last bigint[] := '{}'; -- the last covered row of each other segment that stays
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
  PERFORM set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
          set_config('enable_memoize', 'off', true);
  SELECT s.cursor_us INTO v_floor FROM tenure.segment s
  WHERE s.resource = p_resource AND s.cursor_us >= v_lead.o_floor_us
  ORDER BY s.cursor_us, s.schedule, s.version LIMIT 1;
  WITH moved AS (
    UPDATE tenure.segment s SET cursor_us = p_to[n], covered_us = p_covered[n]
    FROM generate_series(1, v_n) n
    CROSS JOIN LATERAL tenure.place_in_segment(p_resource, p_schedule[n], p_version[n]) y
    WHERE s.ctid = y.place AND p_ready[n] <= commit_fires.now_us
      AND s.cursor_us IS NOT DISTINCT FROM p_from[n]  -- for `=` the server would read the index of cursors
      AND (s.end_us > p_to[n] OR s.end_us = 9223372036854775)
      AND v_n = (SELECT count(DISTINCT i) FROM unnest(p_schedule) i)  -- it moves a segment only once
    RETURNING n, s.delivery),
  found AS (
    SELECT count(*) FILTER (WHERE (m.delivery).kind IS NULL AND p_what[m.n] = 0 AND p_slots[m.n] = 1) = v_n AS all_fires,
           coalesce(array_agg(m.n), '{}') AS rows,
           coalesce(array_agg(m.n) FILTER (WHERE (m.delivery).kind IS NOT NULL AND p_what[m.n] = 0), '{}') AS delivered,
           array_agg(m.delivery) FILTER (WHERE (m.delivery).kind IS NOT NULL AND p_what[m.n] = 0) AS deliveries
    FROM moved m),
  event AS (
    INSERT INTO tenure.outbox (resource, seq, slot_us, schedule, run, version, at_us)
    SELECT p_resource, v_lead.o_outbox_seq + m.n, p_slot[m.n], p_schedule[m.n], 0, p_version[m.n], commit_fires.now_us
    FROM moved m WHERE (SELECT all_fires FROM found)),
  told AS (
    INSERT INTO tenure.history (resource, seq, schedule, version, slot_us, run, from_us, to_us, slots, at_us, what)
    SELECT p_resource, v_lead.o_history_seq + m.n, p_schedule[m.n], p_version[m.n], p_slot[m.n], 0, p_from[m.n],
           p_to[m.n], 1, commit_fires.now_us, 0
    FROM moved m WHERE (SELECT all_fires FROM found)),
  head AS (
    UPDATE tenure.head h
    SET outbox_seq = h.outbox_seq + v_n, history_seq = h.history_seq + v_n, stamp = commit_fires.stamp + 1,
        floor_us = coalesce(v_floor, h.floor_us)
    WHERE h.ctid = v_lead.o_place AND v_n > 0 AND (SELECT all_fires FROM found))
  SELECT f.all_fires, f.rows, f.delivered, f.deliveries INTO v_all, v_moved, v_delivered, v_as FROM found f;
  results := array_fill(CASE WHEN cardinality(v_moved) = v_n THEN 0 ELSE 3 END, ARRAY[v_n]);
  IF v_all AND v_n > 0 THEN
    stamp := stamp + 1;
    RETURN;
  END IF;

  FOR i IN 1..cardinality(v_delivered) LOOP
    v_deliveries[v_delivered[i]] := v_as[i];
  END LOOP;
  IF cardinality(v_moved) < v_n THEN
    FOR i IN 1..cardinality(v_moved) LOOP
      results[v_moved[i]] := 0;
    END LOOP;
    FOR r IN
      SELECT i.*, s.cursor_us, s.end_us, s.place, s.delivery
      FROM (SELECT u.n, p_schedule[u.n] AS schedule, p_version[u.n] AS version, p_from[u.n] AS from_us,
                   p_to[u.n] AS to_us, p_ready[u.n] AS ready_us
            FROM unnest(results) WITH ORDINALITY AS u (result, n) WHERE u.result <> 0) i
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
    UPDATE tenure.segment s SET cursor_us = p_to[i.n], covered_us = p_covered[i.n]
    FROM unnest(v_last, v_places) AS i (n, place)
    WHERE s.ctid = i.place;
  END IF;
  IF cardinality(v_moved) + cardinality(v_last) + cardinality(v_gone) = 0 THEN
    -- What the rows were told is of the head as it is now, and the position is the lease's if that is further on:
    -- without this the next edit would be given an earlier one.
    UPDATE tenure.head h SET stamp = commit_fires.stamp
    WHERE h.resource = p_resource AND h.stamp < commit_fires.stamp;
    RETURN;
  END IF;

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

  IF cardinality(v_deliveries) > 0 THEN
    SELECT count(*), coalesce(bool_or((v_deliveries[i.n]).overlap <> 0), false) INTO v_others, v_one_by_one
    FROM unnest(results) WITH ORDINALITY AS i (result, n)
    WHERE i.result = 0 AND (v_deliveries[i.n]).kind IS NOT NULL;
  END IF;
  IF v_others > 0 AND NOT v_one_by_one THEN
    INSERT INTO tenure.waiting (resource, seq, slot_us, schedule, run, version, kind, name, delivery, at_us)
    SELECT p_resource, f.seq, p_slot[f.n], p_schedule[f.n], 0, p_version[f.n], (f.delivery).kind,
           CASE (f.delivery).kind WHEN 2 THEN (f.delivery).destination ELSE coalesce(y.topic, '') END, f.delivery,
           commit_fires.now_us
    FROM (SELECT i.n, v_deliveries[i.n] AS delivery, v_lead.o_outbox_seq + row_number() OVER (ORDER BY i.n) AS seq
          FROM unnest(results) WITH ORDINALITY AS i (result, n)
          WHERE i.result = 0 AND p_what[i.n] = 0) f
    LEFT JOIN LATERAL (
      SELECT p.topic FROM tenure.payload p
      WHERE p.resource = p_resource AND p.schedule = p_schedule[f.n] AND p.version <= p_version[f.n]
        AND p.last >= p_version[f.n]
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
    SELECT p_resource, f.seq, p_slot[f.n], p_schedule[f.n], 0, p_version[f.n], commit_fires.now_us
    FROM (SELECT i.n, v_lead.o_outbox_seq + row_number() OVER (ORDER BY i.n) AS seq
          FROM unnest(results) WITH ORDINALITY AS i (result, n)
          WHERE i.result = 0 AND p_what[i.n] = 0) f
    WHERE v_others = 0 OR (v_deliveries[f.n]).kind IS NULL;
    GET DIAGNOSTICS v_fires = ROW_COUNT;
    v_fires := v_fires + v_others;
    INSERT INTO tenure.history (resource, seq, schedule, version, slot_us, run, from_us, to_us, slots, at_us, what)
    SELECT p_resource, v_lead.o_history_seq + row_number() OVER (ORDER BY i.n), p_schedule[i.n], p_version[i.n],
           p_slot[i.n], 0, p_from[i.n], p_to[i.n], p_slots[i.n], commit_fires.now_us, p_what[i.n]
    FROM unnest(results) WITH ORDINALITY AS i (result, n)
    WHERE i.result = 0 AND NOT tenure.is_end(p_what[i.n], p_to[i.n]);
    GET DIAGNOSTICS v_history = ROW_COUNT;
    v_history := v_lead.o_history_seq + v_history;
  END IF;
  v_rest := ARRAY(SELECT i.n FROM unnest(results) WITH ORDINALITY AS i (result, n)
                  WHERE (i.result = 0 AND (p_what[i.n] <> 0 OR p_slots[i.n] > 1)
                         AND NOT tenure.is_end(p_what[i.n], p_to[i.n]))
                    OR i.result = 4 ORDER BY i.n);
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
LANGUAGE plpgsql @called@
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
    -- The numbers are for the next event, and the position for the next change: one that was given to none would look
    -- like a change that no journal tells of.
    IF v_seq IS NOT NULL THEN
      UPDATE tenure.head h SET outbox_seq = v_seq - 1, history_seq = v_history - 1, stamp = commit_fire.stamp - 1
      WHERE h.resource = p_resource;
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
LANGUAGE plpgsql @called@
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
      PERFORM tenure.restart_attempts(p_resource, now_us, true);
      UPDATE tenure.head h SET attempts_us = hold.now_us WHERE h.resource = p_resource;
      PERFORM tenure.draw_back(p_resource, now_us);
    END IF;
  END IF;
END $$;

-- The end of retention (core/store/reference/reference_store.h, rule 8): of the ledger, the feed, the manual runs and the dead events
-- what ended first, p_limit rows at most. The newest change always stays.
CREATE OR REPLACE FUNCTION tenure.forget_all(
    p_wait_ms bigint, p_resource bigint, p_before bigint, p_limit bigint, p_keep_history bigint, OUT now_us bigint,
    OUT stamp bigint, OUT forgotten bigint, OUT deleted bigint)
LANGUAGE plpgsql @called@
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
  DELETE FROM tenure.payload p WHERE p.ctid = ANY (ARRAY(
    SELECT x.ctid FROM tenure.payload x
    WHERE x.resource = p_resource AND x.ended_us <= p_before AND x.last < 4294967295
      AND NOT EXISTS (SELECT FROM tenure.segment s WHERE s.resource = p_resource AND s.schedule = x.schedule
                      AND s.version BETWEEN x.version AND x.last)
      AND NOT EXISTS (SELECT FROM tenure.outbox o WHERE o.resource = p_resource AND o.schedule = x.schedule
                      AND o.version BETWEEN x.version AND x.last)
      AND NOT EXISTS (SELECT FROM tenure.waiting w WHERE w.resource = p_resource AND w.schedule = x.schedule
                      AND w.version BETWEEN x.version AND x.last)
      AND NOT EXISTS (SELECT FROM tenure.dead d WHERE d.resource = p_resource AND d.schedule = x.schedule
                      AND d.version BETWEEN x.version AND x.last)
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
