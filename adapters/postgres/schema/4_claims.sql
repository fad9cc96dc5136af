-- ---- claims: the rules are those of core/store/reference/waiting.h, and cited by its numbers ----------------------

-- An event that nobody works on, that waits for nothing, and that the next claim does not settle.
CREATE OR REPLACE FUNCTION tenure.is_ready(x tenure.waiting, p_held boolean, p_now bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
  SELECT (x.attempt = 0 OR (x.until_us <= p_now AND NOT (x.claimed AND p_held)))
         AND NOT (x.claimed AND (x.cancelled OR x.attempt - x.released >= (x.delivery).attempts))
$$;
-- How events are handed out: 2 in strict order, 1 one at a time, 0 at any time.
CREATE OR REPLACE FUNCTION tenure.turn_of(d tenure.delivery) RETURNS int LANGUAGE sql IMMUTABLE
AS $$ SELECT CASE WHEN (d).strict_order THEN 2 WHEN (d).overlap <> 0 THEN 1 ELSE 0 END $$;
-- Whether a claim stands that keeps the event p_seq waiting, whose rules allow one at a time (invariant 3).
CREATE OR REPLACE FUNCTION tenure.is_kept_waiting(
    p_resource bigint, p_schedule bigint, p_seq bigint, p_held boolean, p_now bigint) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
  -- Not EXISTS, for which the planner forgets the order.
  RETURN coalesce((SELECT true FROM tenure.waiting x
                   WHERE x.resource = p_resource AND x.schedule >= p_schedule AND x.schedule <= p_schedule
                     AND x.claimed AND (p_held OR x.until_us > p_now)
                     AND (x.seq < p_seq OR tenure.turn_of(x.delivery) > 0)
                   ORDER BY x.schedule, x.seq LIMIT 1), false);
END $$;

-- False: another transaction is handing out an event of the schedule.
CREATE OR REPLACE FUNCTION tenure.try_lock_turn(p_resource bigint, p_schedule bigint) RETURNS boolean LANGUAGE sql
AS $$ SELECT pg_try_advisory_xact_lock(hashtextextended(format('tenure turn %s %s', p_resource, p_schedule), 0)) $$;

-- Of each schedule whose events are handed out one at a time the first one that nobody has tried, if its number is beyond
-- p_after.
CREATE OR REPLACE FUNCTION tenure.first_of_each(p_resource bigint, p_topic text, p_after bigint)
    RETURNS TABLE (place tid, seq bigint, schedule bigint, turn int) LANGUAGE plpgsql STABLE
AS $$
BEGIN
  turn := 1;
  schedule := -1;
  LOOP
    SELECT x.ctid, x.seq, x.schedule, tenure.turn_of(x.delivery) INTO place, seq, schedule, turn FROM tenure.waiting x
    WHERE x.resource = p_resource AND x.kind = 1 AND x.attempt = 0 AND x.name = p_topic
      AND tenure.turn_of(x.delivery) > 0
      AND (tenure.turn_of(x.delivery), x.schedule) > (first_of_each.turn, first_of_each.schedule)
    ORDER BY tenure.turn_of(x.delivery), x.schedule, x.seq LIMIT 1;
    EXIT WHEN NOT FOUND;
    IF seq > p_after THEN
      RETURN NEXT;
    END IF;
  END LOOP;
END $$;

-- The places of what a claim hands out, in the order of numbers; p_lock: locked, and passing over what other transactions
-- have. A consumer's claims are not seen before it commits, so a schedule that hands out one at a time has a lock, too. Mostly the first events that wait are to be had. Where
-- many of them are not, a claim does not look at each:
--
--   1. It begins with all that waits, event by event.
--   2. After a thousand that it cannot hand out it looks at those that nobody has tried, and at those whose time has
--      come. So it passes over those that are worked on, or wait for the next attempt.
--   3. After a thousand more it looks at the first of each schedule that hands out one at a time. So it passes over what
--      is behind these.
DROP FUNCTION IF EXISTS tenure.claimable(bigint, text, bigint, boolean, bigint);
CREATE OR REPLACE FUNCTION tenure.claimable(
    p_resource bigint, p_topic text, p_max bigint, p_held boolean, p_now bigint, p_lock boolean) RETURNS tid[]
LANGUAGE plpgsql
AS $$
DECLARE
  v_many bigint := p_max + 1000;
  c record;
  v_places tid[] := '{}';
  v_busy bigint[] := '{}';    -- schedules of which an event is handed out, or is being worked on
  v_behind bigint[] := '{}';  -- schedules in strict order whose first event is not to be had
  v_last bigint;              -- up to which number all was looked at
  v_end bigint := 9223372036854775807;  -- up to which this step looks
BEGIN
  FOR step IN 1..3 LOOP
    FOR c IN
      (SELECT y.place, y.seq, y.schedule, y.turn
       FROM (SELECT x.ctid AS place, x.seq, x.schedule, tenure.turn_of(x.delivery) AS turn,
                    tenure.is_ready(x, p_held, p_now) AS ready
             FROM tenure.waiting x
             WHERE step = 1 AND x.resource = p_resource AND x.kind = 1 AND x.name >= p_topic AND x.name <= p_topic
             ORDER BY x.name, x.seq LIMIT v_many) y
       WHERE y.ready)
      UNION ALL
      (SELECT z.* FROM (
         SELECT f.* FROM unnest(CASE step WHEN 2 THEN '{0,1,2}' WHEN 3 THEN '{0}' END::int[]) AS k (turn)
         CROSS JOIN LATERAL (
           SELECT x.ctid AS place, x.seq, x.schedule, tenure.turn_of(x.delivery) AS turn FROM tenure.waiting x
           WHERE x.resource = p_resource AND x.kind = 1 AND x.attempt = 0 AND x.name = p_topic
             AND (tenure.turn_of(x.delivery), x.seq) > (k.turn, v_last) AND tenure.turn_of(x.delivery) <= k.turn
           ORDER BY tenure.turn_of(x.delivery), x.seq LIMIT v_many) f
         UNION ALL
         SELECT t.place, t.seq, t.schedule, t.turn FROM unnest('{false,true}'::boolean[]) AS k (claimed)
         CROSS JOIN LATERAL (
           SELECT x.ctid AS place, x.seq, x.schedule, tenure.turn_of(x.delivery) AS turn, x.kind,
                  tenure.is_ready(x, p_held, p_now) AS ready
           FROM tenure.waiting x
           WHERE step > 1 AND x.resource = p_resource AND x.attempt > 0 AND x.name = p_topic AND x.claimed = k.claimed
             AND x.until_us <= p_now
           ORDER BY x.until_us) t
         WHERE t.ready AND t.kind = 1 AND t.seq > v_last
         UNION ALL
         SELECT e.* FROM tenure.first_of_each(p_resource, p_topic, v_last) e WHERE step = 3) z
       WHERE z.seq <= v_end ORDER BY z.seq)
    LOOP
      EXIT WHEN cardinality(v_places) >= p_max;
      CONTINUE WHEN c.turn > 0 AND c.schedule = ANY (CASE c.turn WHEN 2 THEN v_behind ELSE v_busy END);
      IF c.turn = 2 THEN  -- invariant 3
        IF c.seq > (SELECT x.seq FROM tenure.waiting x
                    WHERE x.resource = p_resource AND x.schedule >= c.schedule AND x.schedule <= c.schedule
                      AND x.kind = 1
                    ORDER BY x.schedule, x.seq LIMIT 1)
           OR tenure.is_kept_waiting(p_resource, c.schedule, c.seq, p_held, p_now) THEN
          v_behind := v_behind || c.schedule;
          CONTINUE;
        END IF;
      ELSIF c.turn = 1 THEN
        IF tenure.is_kept_waiting(p_resource, c.schedule, c.seq, p_held, p_now) THEN
          v_busy := v_busy || c.schedule;
          CONTINUE;
        END IF;
      END IF;
      IF p_lock THEN
        IF c.turn > 0 AND (NOT tenure.try_lock_turn(p_resource, c.schedule)
                           OR tenure.is_kept_waiting(p_resource, c.schedule, c.seq, p_held, p_now)) THEN
          v_behind := v_behind || c.schedule;
          v_busy := v_busy || c.schedule;
          CONTINUE;
        END IF;
        PERFORM FROM tenure.waiting x WHERE x.ctid = c.place AND tenure.is_ready(x, p_held, p_now)
        FOR UPDATE SKIP LOCKED;
        CONTINUE WHEN NOT FOUND;
      END IF;
      v_places := v_places || c.place;
      v_busy := v_busy || c.schedule;
    END LOOP;
    EXIT WHEN cardinality(v_places) >= p_max;
    IF step = 1 THEN
      v_last := (SELECT x.seq FROM tenure.waiting x
                 WHERE x.resource = p_resource AND x.kind = 1 AND x.name >= p_topic AND x.name <= p_topic
                 ORDER BY x.name, x.seq OFFSET v_many - 1 LIMIT 1);
      EXIT WHEN v_last IS NULL;
      v_end := (SELECT coalesce(min(f.seq), v_end) FROM unnest('{1,2}'::int[]) AS k (turn)
                CROSS JOIN LATERAL (
                  SELECT x.seq FROM tenure.waiting x
                  WHERE x.resource = p_resource AND x.kind = 1 AND x.attempt = 0 AND x.name = p_topic
                    AND (tenure.turn_of(x.delivery), x.seq) > (k.turn, v_last) AND tenure.turn_of(x.delivery) <= k.turn
                  ORDER BY tenure.turn_of(x.delivery), x.seq OFFSET v_many - 1 LIMIT 1) f);
    ELSE
      EXIT WHEN v_end = 9223372036854775807;
      v_last := v_end;
      v_end := 9223372036854775807;
    END IF;
  END LOOP;
  RETURN v_places;
END $$;

-- Those that were tried for the last time, or replaced, and timed out since.
CREATE OR REPLACE FUNCTION tenure.timed_out(p_resource bigint, p_topic text, p_held boolean, p_now bigint)
    RETURNS SETOF tenure.waiting LANGUAGE sql STABLE ROWS 1
AS $$
  SELECT y.* FROM (
    SELECT x.* FROM tenure.waiting x
    WHERE NOT p_held AND x.resource = p_resource AND x.attempt > 0 AND x.name = p_topic AND x.claimed
      AND x.until_us <= p_now
    ORDER BY x.until_us) y
  WHERE y.cancelled OR y.attempt - y.released >= (y.delivery).attempts
  ORDER BY y.seq LIMIT 100
$$;

-- Whether a claim would find nothing to do. It sees one moment, and locks nothing.
CREATE OR REPLACE FUNCTION tenure.look_for_claim(
    p_resource bigint, p_topic text, p_max bigint, OUT now_us bigint, OUT stamp bigint, OUT idle boolean)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  h tenure.head;
  v_held boolean;
BEGIN
  SELECT * INTO h FROM tenure.head x WHERE x.resource >= p_resource AND x.resource <= p_resource
  ORDER BY x.resource DESC LIMIT 1;
  now_us := tenure.now_us();
  stamp := h.stamp;
  v_held := h.hold_since_us IS NOT NULL;
  idle := (now_us < h.attempts_us) IS NOT TRUE
          AND NOT EXISTS (SELECT FROM tenure.timed_out(p_resource, p_topic, v_held, now_us))
          AND cardinality(tenure.claimable(p_resource, p_topic, least(p_max, 1), v_held, now_us, false)) = 0;
END $$;

-- A worker that waits asks again and again. As long as there is nothing for it, it is answered by a read.
DROP FUNCTION IF EXISTS tenure.claim(bigint, bigint, text, bigint, bigint, text, bigint);
CREATE OR REPLACE FUNCTION tenure.claim(
    p_wait_ms bigint, p_resource bigint, p_topic text, p_max bigint, p_duration bigint, p_worker text, p_nonce bigint,
    p_late boolean DEFAULT false, OUT now_us bigint, OUT stamp bigint, OUT changed boolean, OUT seqs bigint[], OUT schedules bigint[],
    OUT slots bigint[], OUT runs bigint[], OUT versions bigint[], OUT attempts bigint[])
LANGUAGE plpgsql @called@
AS $$
DECLARE
  h tenure.head;
  w tenure.waiting;
  v_idle boolean;
  v_held boolean;
  v_places tid[];
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_topic, p_max, p_duration, p_worker, p_nonce, p_late));
  PERFORM tenure.prepare(p_wait_ms);
  seqs := '{}';
  changed := false;
  SELECT l.now_us, l.stamp, l.idle INTO now_us, stamp, v_idle
  FROM tenure.look_for_claim(p_resource, p_topic, p_max) l;
  IF v_idle THEN
    RETURN;
  END IF;

  h := tenure.read_head(p_resource, p_late);
  now_us := tenure.now_us();
  IF p_late AND now_us < h.attempts_us THEN  -- many events change
    p_late := false;
    h := tenure.read_head(p_resource, false);
    now_us := tenure.now_us();
  END IF;
  stamp := h.stamp;
  v_held := h.hold_since_us IS NOT NULL;
  changed := now_us < h.attempts_us;
  IF changed THEN  -- invariant 6
    PERFORM tenure.restart_attempts(p_resource, now_us, false);
    h.attempts_us := now_us;
  END IF;
  FOR w IN SELECT * FROM tenure.timed_out(p_resource, p_topic, v_held, now_us) LOOP
    CONTINUE WHEN NOT tenure.try_lock_event(w);
    w.why := 'the claim was over before the work was';
    PERFORM tenure.finish(w, CASE WHEN w.cancelled THEN 5 ELSE 4 END, now_us);
    IF w.cancelled THEN
      h.history_seq := tenure.tell_replaced(p_resource, w.schedule, w.version, w.slot_us, w.run, h.history_seq, now_us,
                                            p_late);
    END IF;
    changed := true;
  END LOOP;
  v_places := tenure.claimable(p_resource, p_topic, p_max, v_held, now_us, true);
  IF cardinality(v_places) > 0 THEN
    WITH given AS (
      UPDATE tenure.waiting x
      SET attempt = x.attempt + 1, nonce = p_nonce, claimed = true, cancelled = false, from_us = claim.now_us,
          until_us = claim.now_us + p_duration, worker = p_worker
      WHERE x.ctid = ANY (v_places) RETURNING x.*)
    SELECT array_agg(g.seq ORDER BY g.seq), array_agg(g.schedule ORDER BY g.seq), array_agg(g.slot_us ORDER BY g.seq),
           array_agg(g.run ORDER BY g.seq), array_agg(g.version ORDER BY g.seq), array_agg(g.attempt ORDER BY g.seq)
    INTO seqs, schedules, slots, runs, versions, attempts FROM given g;
    h.attempts_us := greatest(h.attempts_us, now_us);
    changed := true;
  END IF;
  IF changed THEN
    stamp := tenure.write_head(h, p_late);
  END IF;
END $$;
