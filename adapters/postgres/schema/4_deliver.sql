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

-- The head for a request of workers: locked, or p_late, as it is. Then the request locks only the events that it changes,
-- and what it changes of the head is written when the consumer's transaction commits, by tenure.settle.
CREATE OR REPLACE FUNCTION tenure.read_head(p_resource bigint, p_late boolean) RETURNS tenure.head LANGUAGE plpgsql
AS $$
DECLARE
  h tenure.head;
BEGIN
  IF p_late THEN
    SELECT * INTO h FROM tenure.head x WHERE x.resource >= p_resource AND x.resource <= p_resource
    ORDER BY x.resource DESC LIMIT 1;
  ELSE
    SELECT * INTO h FROM tenure.head x WHERE x.resource >= p_resource AND x.resource <= p_resource
    ORDER BY x.resource DESC LIMIT 1 FOR NO KEY UPDATE;
  END IF;
  RETURN h;
END $$;
-- One more change of events, and the last numbers of `h`. Returns the change's stamp; p_late, that of the head so far.
CREATE OR REPLACE FUNCTION tenure.write_head(h tenure.head, p_late boolean) RETURNS bigint LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(h, p_late));
  IF p_late THEN
    INSERT INTO tenure.unsettled (resource, attempts_us) VALUES (h.resource, h.attempts_us);
  ELSE
    h.stamp := h.stamp + 1;
    UPDATE tenure.head x SET attempts_us = h.attempts_us, history_seq = h.history_seq, stamp = h.stamp
    WHERE x.resource = h.resource;
  END IF;
  RETURN h.stamp;
END $$;
CREATE OR REPLACE FUNCTION tenure.settle() RETURNS trigger LANGUAGE plpgsql @called@
AS $$
DECLARE
  h tenure.head := tenure.read_head(NEW.resource, false);
BEGIN
  IF NEW.schedule IS NULL THEN
    h.attempts_us := greatest(h.attempts_us, NEW.attempts_us);
    h.stamp := tenure.write_head(h, false);
  ELSE
    h.history_seq := tenure.tell_replaced(NEW.resource, NEW.schedule, NEW.version, NEW.slot_us, NEW.run, h.history_seq,
                                          tenure.now_us(), false);
    UPDATE tenure.head x SET history_seq = h.history_seq WHERE x.resource = NEW.resource;
  END IF;
  DELETE FROM tenure.unsettled x WHERE x.change = NEW.change;
  RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS settle ON tenure.unsettled;
CREATE CONSTRAINT TRIGGER settle AFTER INSERT ON tenure.unsettled DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION tenure.settle();

-- An event has given way to a later one. Returns the last number of the history, of which p_history was the one before.
CREATE OR REPLACE FUNCTION tenure.tell_replaced(
    p_resource bigint, p_schedule bigint, p_version bigint, p_slot bigint, p_run bigint, p_history bigint,
    p_now bigint, p_late boolean) RETURNS bigint LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_schedule, p_version, p_slot, p_run, p_history, p_now, p_late));
  IF p_late THEN
    INSERT INTO tenure.unsettled (resource, schedule, version, slot_us, run)
    VALUES (p_resource, p_schedule, p_version, p_slot, p_run);
    RETURN p_history;
  END IF;
  PERFORM tenure.add_history(p_resource, p_history + 1, p_schedule, p_version, 6, p_slot, p_run, p_slot, p_slot, 0,
                             p_now);
  RETURN p_history + 1;
END $$;

-- Attempts that are claimed (p_claimed), or begin in the future, begin now and last as long as before. Those that a
-- consumer's transaction has are not changed: it has only begun them.
CREATE OR REPLACE FUNCTION tenure.restart_attempts(p_resource bigint, p_now bigint, p_claimed boolean) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE tenure.waiting x SET until_us = p_now + x.until_us - x.from_us, from_us = p_now
  WHERE x.ctid = ANY (ARRAY(
    SELECT y.ctid FROM tenure.waiting y
    WHERE y.resource = p_resource AND y.attempt > 0 AND ((p_claimed AND y.claimed) OR y.from_us > p_now)
    FOR UPDATE SKIP LOCKED));
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
    CONTINUE WHEN NOT tenure.try_lock_event(w);  -- a consumer's transaction is about to change it
    IF w.claimed AND p_now < w.until_us THEN
      UPDATE tenure.waiting x SET cancelled = true
      WHERE x.ctid = (SELECT y.place FROM tenure.place_in_waiting(p_resource, w.schedule, w.slot_us, w.run) y);
    ELSE
      PERFORM tenure.finish(w, 5, p_now);
      p_history := tenure.tell_replaced(p_resource, w.schedule, w.version, w.slot_us, w.run, p_history, p_now, false);
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

-- p_duration: 0 for as long as it was claimed for, or extended by the last heartbeat. p_late, here and below: as for
-- tenure.read_head.
DROP FUNCTION IF EXISTS tenure.extend_attempts(bigint, bigint, bigint, bigint[], bigint[], bigint[], bigint[], bigint[]);
CREATE OR REPLACE FUNCTION tenure.extend_attempts(
    p_wait_ms bigint, p_resource bigint, p_duration bigint, p_schedule bigint[], p_slot bigint[], p_run bigint[],
    p_attempt bigint[], p_nonce bigint[], p_late boolean DEFAULT false, OUT now_us bigint, OUT stamp bigint, OUT changed boolean,
    OUT standings bigint[], OUT untils bigint[])
LANGUAGE plpgsql @called@
AS $$
DECLARE
  h tenure.head;
  w tenure.waiting;
  v_place tid;
  v_standing bigint;
  v_until bigint;
  v_n int := cardinality(p_schedule);
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_duration, p_late)),
          tenure.refuse_null(tenure.event_gaps(p_schedule, p_slot, p_run) +
                             tenure.gaps(v_n, p_attempt) + tenure.gaps(v_n, p_nonce));
  PERFORM tenure.prepare(p_wait_ms);
  h := tenure.read_head(p_resource, p_late);
  now_us := tenure.now_us();
  stamp := h.stamp;
  changed := false;
  FOR i IN 1..v_n LOOP
    v_place := tenure.lock_event(p_resource, p_schedule[i], p_slot[i], p_run[i], p_late);
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
    h.attempts_us := greatest(h.attempts_us, now_us);
    stamp := tenure.write_head(h, p_late);
  END IF;
END $$;

-- p_failed: 0 completed, 1 failed, 2 given back.
DROP FUNCTION IF EXISTS tenure.end_attempts(bigint, bigint, bigint[], bigint[], bigint[], bigint[], bigint[], bigint[],
                                            text[]);
CREATE OR REPLACE FUNCTION tenure.end_attempts(
    p_wait_ms bigint, p_resource bigint, p_schedule bigint[], p_slot bigint[], p_run bigint[], p_attempt bigint[],
    p_nonce bigint[], p_failed bigint[], p_why text[], p_late boolean DEFAULT false, OUT now_us bigint, OUT stamp bigint, OUT changed boolean,
    OUT standings bigint[], OUT untils bigint[])
LANGUAGE plpgsql @called@
AS $$
DECLARE
  h tenure.head;
  w tenure.waiting;
  v_place tid;
  v_standing bigint;
  v_until bigint;
  v_n int := cardinality(p_schedule);
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_late)),
          tenure.refuse_null(tenure.event_gaps(p_schedule, p_slot, p_run) +
                             tenure.gaps(v_n, p_attempt) + tenure.gaps(v_n, p_nonce) + tenure.gaps(v_n, p_failed) +
                             tenure.gaps(v_n, p_why));
  PERFORM tenure.prepare(p_wait_ms);
  h := tenure.read_head(p_resource, p_late);
  now_us := tenure.now_us();
  stamp := h.stamp;
  changed := false;
  FOR i IN 1..v_n LOOP
    v_place := tenure.lock_event(p_resource, p_schedule[i], p_slot[i], p_run[i], p_late);
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
        h.history_seq := tenure.tell_replaced(p_resource, w.schedule, w.version, w.slot_us, w.run, h.history_seq,
                                              now_us, p_late);
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
    stamp := tenure.write_head(h, p_late);
  END IF;
END $$;

-- Delivered events, out of the outbox and out of what waits, where it is for who has had them: p_kind and p_to.
-- Programs of version 2 name neither. `claimed`: how many stayed, because their claims stand, or a consumer's transaction
-- has them.
DROP FUNCTION IF EXISTS tenure.acknowledge_events(bigint, bigint, bigint[], bigint[], bigint[]);
DROP FUNCTION IF EXISTS tenure.acknowledge_events(bigint, bigint, bigint[], bigint[], bigint[], bigint[], text[]);
CREATE OR REPLACE FUNCTION tenure.acknowledge_events(
    p_wait_ms bigint, p_resource bigint, p_schedule bigint[], p_slot bigint[], p_run bigint[],
    p_kind bigint[] DEFAULT '{}', p_to text[] DEFAULT '{}', p_late boolean DEFAULT false, OUT now_us bigint, OUT stamp bigint, OUT changed boolean,
    OUT claimed bigint)
LANGUAGE plpgsql @called@
AS $$
DECLARE
  h tenure.head;
  w tenure.waiting;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_kind, p_to, p_late)),
          tenure.refuse_null(tenure.event_gaps(p_schedule, p_slot, p_run));
  IF p_kind <> '{}' THEN
    PERFORM tenure.refuse_null(tenure.gaps(cardinality(p_schedule), p_kind) +
                               tenure.gaps(cardinality(p_schedule), p_to));
  END IF;
  PERFORM tenure.prepare(p_wait_ms);
  h := tenure.read_head(p_resource, p_late);
  now_us := tenure.now_us();
  stamp := h.stamp;
  claimed := 0;
  DELETE FROM tenure.outbox o WHERE o.ctid = ANY (ARRAY(
    SELECT y.place FROM unnest(p_schedule, p_slot, p_run, p_kind) AS i (schedule, slot_us, run, kind)
    CROSS JOIN LATERAL tenure.place_in_outbox(p_resource, i.schedule, i.slot_us, i.run) y
    WHERE coalesce(i.kind, 0) = 0));
  changed := FOUND;
  -- Those that nobody has ever claimed, of which nothing is remembered, at once: it is most, and five times as fast.
  DELETE FROM tenure.waiting x WHERE x.ctid = ANY (ARRAY(
    SELECT z.ctid FROM tenure.waiting z WHERE z.ctid = ANY (ARRAY(
      SELECT y.place FROM unnest(p_schedule, p_slot, p_run, p_kind, p_to) AS i (schedule, slot_us, run, kind, name)
      CROSS JOIN LATERAL tenure.place_for(p_resource, i.schedule, i.slot_us, i.run, i.kind, i.name) y
      WHERE y.attempt = 0))
    FOR UPDATE SKIP LOCKED));
  changed := changed OR FOUND;
  -- Event by event: one that is named twice is taken once, and one that stays is counted as often as it is named.
  FOR w IN
    SELECT y.* FROM unnest(p_schedule, p_slot, p_run, p_kind, p_to) WITH ORDINALITY AS i (schedule, slot_us, run, kind,
                                                                                          name, n)
    CROSS JOIN LATERAL (
      SELECT x.* FROM tenure.waiting x
      WHERE x.ctid = (SELECT z.place
                      FROM tenure.place_for(p_resource, i.schedule, i.slot_us, i.run, i.kind, i.name) z)) y
    ORDER BY i.n
  LOOP
    IF w.claimed AND (h.hold_since_us IS NOT NULL OR now_us < w.until_us) THEN
      claimed := claimed + 1;
    ELSIF tenure.try_lock_event(w) THEN
      PERFORM tenure.finish(w, 3, now_us);
      changed := true;
    ELSIF EXISTS (SELECT FROM tenure.place_in_waiting(p_resource, w.schedule, w.slot_us, w.run)) THEN
      claimed := claimed + 1;
    END IF;
  END LOOP;
  IF changed THEN
    stamp := tenure.write_head(h, p_late);
  END IF;
END $$;

-- Events to be kept as dead, where they are there under the numbers that are named; 0: under any, which is what
-- programs say that name none.
DROP FUNCTION IF EXISTS tenure.give_up_events(bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint[],
                                              bigint[], bigint[], bigint[], text[]);
CREATE OR REPLACE FUNCTION tenure.give_up_events(
    p_wait_ms bigint, p_resource bigint, p_node bigint, p_life bigint, p_branch bigint, p_epoch bigint, p_nonce bigint,
    p_schedule bigint[], p_slot bigint[], p_run bigint[], p_attempts bigint[], p_why text[],
    p_seq bigint[] DEFAULT '{}', OUT now_us bigint, OUT stamp bigint, OUT why int, OUT changed boolean)
LANGUAGE plpgsql @called@
AS $$
DECLARE
  v_lead record;
  w tenure.waiting;
  v_place tid;
  v_n int := cardinality(p_schedule);
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_node, p_life, p_branch, p_epoch, p_nonce, p_seq)),
          tenure.refuse_null(tenure.event_gaps(p_schedule, p_slot, p_run) +
                             tenure.gaps(v_n, p_attempts) + tenure.gaps(v_n, p_why));
  IF p_seq <> '{}' THEN
    PERFORM tenure.refuse_null(tenure.gaps(v_n, p_seq));
  END IF;
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
        AND coalesce(p_seq[i], 0) IN (0, o.seq)
      RETURNING *)
    INSERT INTO tenure.dead (resource, seq, slot_us, schedule, run, attempts, since_us, version, why)
    SELECT g.resource, g.seq, g.slot_us, g.schedule, g.run, p_attempts[i], give_up_events.now_us, g.version, p_why[i]
    FROM gone g;
    IF FOUND THEN
      changed := true;
      CONTINUE;
    END IF;
    v_place := tenure.lock_event(p_resource, p_schedule[i], p_slot[i], p_run[i], false);
    SELECT x.* INTO w FROM tenure.waiting x WHERE x.ctid = v_place AND coalesce(p_seq[i], 0) IN (0, x.seq);
    IF FOUND THEN
      w.attempt := w.released + p_attempts[i];
      w.why := p_why[i];
      PERFORM tenure.finish(w, 4, now_us);
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
LANGUAGE plpgsql @called@
AS $$
DECLARE
  h tenure.head;
  d tenure.dead;
  v_added boolean;
  v_attempts bigint;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource)),
          tenure.refuse_null(tenure.event_gaps(p_schedule, p_slot, p_run));
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
      IF v_added THEN  -- the numbers of attempts go on, and none of these counts any more
        v_attempts := greatest(d.attempts, (SELECT e.attempt FROM tenure.ended e WHERE e.ctid = (
          SELECT y.place FROM tenure.place_in_ended(p_resource, d.schedule, d.slot_us, d.run) y)));
        UPDATE tenure.waiting x SET attempt = v_attempts, released = v_attempts
        WHERE x.ctid = (SELECT y.place FROM tenure.place_in_waiting(p_resource, d.schedule, d.slot_us, d.run) y);
      END IF;
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
    PERFORM pg_notify('tenure', 'events_added ' || p_resource);
  END IF;
  stamp := h.stamp;
END $$;

-- Dead events that somebody lets go.
CREATE OR REPLACE FUNCTION tenure.discard(
    p_wait_ms bigint, p_resource bigint, p_schedule bigint[], p_slot bigint[], p_run bigint[], p_actor text,
    OUT now_us bigint, OUT stamp bigint, OUT discarded bigint)
LANGUAGE plpgsql @called@
AS $$
DECLARE
  h tenure.head;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_actor)),
          tenure.refuse_null(tenure.event_gaps(p_schedule, p_slot, p_run));
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
LANGUAGE plpgsql @called@
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
