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
LANGUAGE plpgsql STABLE @called@
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
RETURNS tenure.edit_reply LANGUAGE plpgsql @called@
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
RETURNS tenure.edit_reply LANGUAGE plpgsql @called@
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
-- come. p_at: by the client's clock; p_digest: of the request, 0 if the client does not say.
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
      first_at_us := nullif(r.at_us, p_at);
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
  PERFORM pg_notify('tenure', 'events_added ' || p_resource);
  reply := tenure.edit_reply_of(v.o_now, h.stamp, 0, 0, s.version, s.change_seq, s.since_us);
END $$;

CREATE OR REPLACE FUNCTION tenure.run_once(
    p_wait_ms bigint, p_resource bigint, p_schedule bigint, p_run bigint, p_slots bigint[], p_backfill boolean,
    p_at bigint, p_digest bigint, OUT now_us bigint, OUT stamp bigint, OUT outcome int, OUT why int, OUT version bigint,
    OUT change_seq bigint, OUT since_us bigint, OUT first_at_us bigint)
LANGUAGE plpgsql @called@
AS $$
DECLARE
  v record;
BEGIN
  v := tenure.begin_run(p_wait_ms, p_resource, p_schedule, p_run, p_slots, p_backfill, p_at, p_digest);
  SELECT (v.reply).*, v.first_at_us INTO now_us, stamp, outcome, why, version, change_seq, since_us, first_at_us;
END $$;
