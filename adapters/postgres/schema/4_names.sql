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
LANGUAGE plpgsql STABLE @called@
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_name));
  schedule := coalesce((tenure.named(p_resource, p_name)).schedule, -1);
  SELECT l.now_us, l.version, l.cursor_us, l.covered_us, l.definition
  INTO now_us, version, cursor_us, covered_us, definition FROM tenure.look(p_resource, schedule) l;
END $$;

-- The payload of a version.
CREATE OR REPLACE FUNCTION tenure.payload_of(p_resource bigint, p_schedule bigint, p_version bigint)
    RETURNS tenure.payload LANGUAGE sql STABLE
AS $$ SELECT y.* FROM (
        SELECT p.* FROM tenure.payload p
        WHERE p.resource = p_resource AND p.schedule = p_schedule
          AND p.version <= p_version
        ORDER BY p.version DESC LIMIT 1) y
      WHERE y.last >= p_version $$;

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
LANGUAGE plpgsql @called@
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
    SET pause_actor = s.pause_actor, pause_why = s.pause_why, pause_us = s.pause_us
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
LANGUAGE plpgsql @called@
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
LANGUAGE plpgsql @called@
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

-- The schedule p_name (p_one), or those after that name, without their data, and until when each is covered. Names
-- have nothing beyond `z`.
DROP FUNCTION IF EXISTS tenure.schedules(bigint, text, boolean, bigint);  -- of version 1
CREATE OR REPLACE FUNCTION tenure.schedules_covered(
    p_resource bigint, p_name text, p_one boolean, p_limit bigint, OUT now_us bigint, OUT stamp bigint,
    OUT names text[], OUT schedules bigint[], OUT versions bigint[], OUT since bigint[], OUT actors text[],
    OUT whys text[], OUT pauses bigint[], OUT definitions text[], OUT topics text[], OUT types text[],
    OUT datas text[], OUT labels text[], OUT descriptions text[], OUT covered bigint[])
LANGUAGE plpgsql STABLE @called@
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_name, p_one, p_limit));
  SELECT h.stamp INTO stamp FROM tenure.head h WHERE h.resource >= p_resource AND h.resource <= p_resource
  ORDER BY h.resource DESC LIMIT 1;
  SELECT array_agg(e.called), array_agg(e.schedule), array_agg(e.version), array_agg(e.since_us),
         array_agg(e.pause_actor), array_agg(e.pause_why), array_agg(e.pause_us),
         array_agg(c.definition), array_agg(coalesce(y.topic, '')), array_agg(coalesce(y.type, '')),
         array_agg(CASE WHEN p_one THEN coalesce(y.data, '') ELSE '' END), array_agg(coalesce(y.labels, '{}')),
         array_agg(coalesce(y.description, '')), array_agg(g.covered_us)
  INTO names, schedules, versions, since, actors, whys, pauses, definitions, topics, types, datas, labels, descriptions,
       covered
  FROM (SELECT s.*, coalesce(s.name, s.schedule::text COLLATE "C") AS called FROM tenure.schedule s
        WHERE s.resource = p_resource AND NOT s.deleted
          AND coalesce(s.name, s.schedule::text COLLATE "C") >= p_name
          AND coalesce(s.name, s.schedule::text COLLATE "C") <= CASE WHEN p_one THEN p_name ELSE '~' END
          AND (p_one OR coalesce(s.name, s.schedule::text COLLATE "C") <> p_name)
        ORDER BY coalesce(s.name, s.schedule::text COLLATE "C") LIMIT p_limit) e
  CROSS JOIN LATERAL (
    SELECT x.definition FROM tenure.change x WHERE x.resource = e.resource AND x.seq = e.change_seq OFFSET 0) c
  LEFT JOIN LATERAL tenure.payload_of(e.resource, e.schedule, e.version) y ON true
  CROSS JOIN LATERAL (
    SELECT (SELECT greatest(x.begin_us, x.covered_us) FROM tenure.segment x
            WHERE x.resource = e.resource AND x.schedule = e.schedule AND x.version >= e.version
              AND x.version <= e.version
            ORDER BY x.version LIMIT 1) AS covered_us OFFSET 0) g;
  now_us := tenure.now_us();
END $$;

-- Of events that wait or are dead. A version of -1: neither.
CREATE OR REPLACE FUNCTION tenure.payloads(
    p_resource bigint, p_schedule bigint[], p_slot bigint[], p_run bigint[], OUT now_us bigint, OUT stamp bigint,
    OUT versions bigint[], OUT names text[], OUT topics text[], OUT types text[], OUT datas text[], OUT labels text[],
    OUT descriptions text[])
LANGUAGE plpgsql STABLE @called@
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource)),
          tenure.refuse_null(tenure.event_gaps(p_schedule, p_slot, p_run));
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
      AND x.version <= e.version
    ORDER BY x.version DESC LIMIT 1) y ON y.last >= e.version;
  now_us := tenure.now_us();
END $$;

CREATE OR REPLACE FUNCTION tenure.log(
    p_resource bigint, p_after bigint, p_limit bigint, OUT now_us bigint, OUT stamp bigint, OUT seqs bigint[],
    OUT names text[], OUT schedules bigint[], OUT versions bigint[], OUT whats int[], OUT actors text[],
    OUT whys text[], OUT since bigint[])
LANGUAGE plpgsql STABLE @called@
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
