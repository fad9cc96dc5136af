-- ---- consumers in the database: what tenured's /v1/events and /v1/executions are over HTTP (docs/consumers.md) --------
--
-- Parts of requests as consumers write them. Each ends in the function that the program calls for the same request.
-- Whatever is wrong ends the consumer's transaction: TN002 where somebody else has the event by now (HTTP: 409), TN003
-- where nothing is known of it (404), 22023 where an argument makes no sense (400).

-- Events that wait for consumers. With nothing but what everybody may call: whoever reads a view calls its functions.
CREATE OR REPLACE VIEW tenure.pulled AS
SELECT w.resource, w.seq, format('%s/%s/%s', w.schedule, w.slot_us, x.run) AS key,
       coalesce(s.name, s.schedule::text COLLATE "C") AS schedule, w.name AS topic, coalesce(y.type, '') AS type,
       nullif(y.data, '') AS data,          -- JSON, as the schedule's author wrote it; nobody has looked whether it is
       coalesce(y.labels, '{}')::json AS labels,
       timestamptz 'epoch' + w.slot_us * interval '1 microsecond' AS slot,
       nullif(x.run, 0) AS run,             -- of a manual run
       timestamptz 'epoch' + w.at_us * interval '1 microsecond' AS fired,
       w.attempt,                           -- the last one; 0: nobody has claimed it
       CASE WHEN w.claimed THEN w.worker END AS worker,
       CASE WHEN w.claimed THEN timestamptz 'epoch' + w.until_us * interval '1 microsecond' END AS claimed_until
FROM tenure.waiting w
CROSS JOIN LATERAL (
  SELECT w.run::numeric + CASE WHEN w.run < 0 THEN 18446744073709551616 ELSE 0 END) AS x (run)
CROSS JOIN LATERAL (  -- OFFSET 0: by its key, and not by a join with all schedules
  SELECT z.name, z.schedule FROM tenure.schedule z
  WHERE z.resource = w.resource AND z.schedule = w.schedule OFFSET 0) s
LEFT JOIN LATERAL (
  SELECT p.type, p.data, p.labels FROM tenure.payload p
  WHERE p.resource = w.resource AND p.schedule = w.schedule AND p.version <= w.version AND p.last >= w.version
  ORDER BY p.version DESC LIMIT 1) y ON true
WHERE w.kind = 1;

-- The same for others' eyes: no condition of theirs is shown a row that is not for them. But neither does the planner
-- look through it: joined with what is to be found in it, it is read whole for each. So functions take the one above.
CREATE OR REPLACE VIEW tenure.events WITH (security_barrier) AS SELECT * FROM tenure.pulled;

-- The wait for a lock that the consumer has set, for `prepare`. 0: any.
CREATE OR REPLACE FUNCTION tenure.own_wait_ms() RETURNS bigint LANGUAGE sql STABLE
AS $$ SELECT (extract(epoch FROM current_setting('lock_timeout')::interval) * 1000)::bigint $$;

-- Whether the head is left alone until the consumer's transaction commits. Above READ COMMITTED that could not write it
-- any more after a fire, so such a transaction has the head from its first change on.
CREATE OR REPLACE FUNCTION tenure.is_late() RETURNS boolean LANGUAGE sql STABLE
AS $$ SELECT current_setting('transaction_isolation') = 'read committed' $$;

CREATE OR REPLACE FUNCTION tenure.refuse(p_why text) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  IF p_why IS NOT NULL THEN
    RAISE EXCEPTION '%', p_why USING ERRCODE = 'invalid_parameter_value';
  END IF;
END $$;

-- As Problems::check_text and check_duration (core/store/reference/problems.h).
CREATE OR REPLACE FUNCTION tenure.check_text(p_what text, p_text text, p_bytes int) RETURNS void LANGUAGE sql
AS $$
  SELECT tenure.refuse(CASE
    WHEN octet_length(convert_to(p_text, 'UTF8')) > p_bytes
      THEN format('%s has %s bytes, and may have %s', p_what, octet_length(convert_to(p_text, 'UTF8')), p_bytes)
    WHEN p_text ~ '[\x01-\x08\x0b\x0c\x0e-\x1f]' THEN format('%s has a control character', p_what) END)
$$;
CREATE OR REPLACE FUNCTION tenure.claim_us(p_duration interval) RETURNS bigint LANGUAGE plpgsql
AS $$
DECLARE
  v_us numeric := extract(epoch FROM p_duration) * 1000000;
BEGIN
  PERFORM tenure.refuse(CASE WHEN v_us NOT BETWEEN 1 AND 2592000000000
                          THEN 'a claim stands for a time from 1 us to 30 days' END);
  RETURN v_us;
END $$;

-- A number of 64 bits without a sign, as columns have it.
CREATE OR REPLACE FUNCTION tenure.as_signed(p_number numeric) RETURNS bigint LANGUAGE sql IMMUTABLE
AS $$ SELECT (p_number - CASE WHEN p_number > 9223372036854775807 THEN 18446744073709551616 ELSE 0 END)::bigint $$;

-- The columns of an execution's name: schedule, slot, run, attempt, nonce. No other spelling of it is one.
CREATE OR REPLACE FUNCTION tenure.read_execution(p_execution text) RETURNS bigint[] LANGUAGE plpgsql
AS $$
DECLARE
  v_numbers numeric[];
BEGIN
  IF p_execution ~ '^(0|[1-9]\d{0,9})\.(0|-?[1-9]\d{0,15})(\.(0|[1-9]\d{0,19})){3}$' THEN
    v_numbers := string_to_array(p_execution, '.')::numeric[];
  END IF;
  IF v_numbers IS NULL OR 18446744073709551616 <= ANY (v_numbers) THEN
    RAISE EXCEPTION 'no execution is called %', p_execution USING ERRCODE = 'TN003';
  END IF;
  RETURN ARRAY(SELECT tenure.as_signed(x) FROM unnest(v_numbers) WITH ORDINALITY AS n (x, i) ORDER BY i);
END $$;

-- What the consumer is told of an execution. p_over: of which standings it is told that it was too late.
CREATE OR REPLACE FUNCTION tenure.tell(
    p_execution text, p_standing bigint, p_until bigint, p_over bigint[], OUT standing text, OUT until timestamptz)
LANGUAGE plpgsql
AS $$
BEGIN
  standing := (ARRAY['claimed', 'cancelled', 'failed', 'completed', 'dead', 'replaced', 'reissued',
                     'unknown', 'released'])[p_standing + 1];
  IF p_standing = 7 THEN
    RAISE EXCEPTION 'nothing is known of execution %', p_execution
      USING ERRCODE = 'TN003', DETAIL = standing, HINT = 'What became of it may have been forgotten.';
  ELSIF p_standing = ANY (p_over) THEN
    RAISE EXCEPTION 'execution % is over: it is %', p_execution, standing
      USING ERRCODE = 'TN002', DETAIL = standing, HINT = 'Somebody else has the event, or nobody will. Stop.';
  END IF;
  until := CASE WHEN p_standing <= 2 OR p_standing = 8 THEN timestamptz 'epoch' + p_until * interval '1 microsecond' END;
END $$;

-- ---- what consumers call ------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION tenure.poll(
    p_topic text, p_after bigint DEFAULT 0, p_limit int DEFAULT 100, p_resource bigint DEFAULT 0)
RETURNS SETOF tenure.events
LANGUAGE plpgsql STABLE @called@
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_topic, p_after, p_limit, p_resource));
  RETURN QUERY
  SELECT x.* FROM tenure.pulled x
  WHERE x.resource = p_resource AND (x.topic, x.seq) > (p_topic, p_after) AND x.topic <= p_topic
  ORDER BY x.topic, x.seq LIMIT p_limit;
END $$;

-- All or none: workers may be at some of the events, and others may have acknowledged some. Who polled these has worked
-- on them as well, in this transaction, and has to undo that.
-- No topic: of any.
DROP FUNCTION IF EXISTS tenure.ack(text[], bigint);
CREATE OR REPLACE FUNCTION tenure.ack(p_keys text[], p_topic text DEFAULT '', p_resource bigint DEFAULT 0)
RETURNS bigint
LANGUAGE plpgsql @called@
AS $$
DECLARE
  c_key text := '^(0|[1-9]\d{0,9})/(0|-?[1-9]\d{0,15})/(0|[1-9]\d{0,19})$';
  v_schedules bigint[];
  v_slots bigint[];
  v_runs bigint[];
  v_events bigint;
  v_waited bigint;
  v_claimed bigint;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_topic, p_resource)), tenure.refuse_null(tenure.gaps(cardinality(p_keys), p_keys));
  IF cardinality(p_keys) = 0 THEN
    RETURN 0;  -- and lock nothing
  END IF;
  PERFORM tenure.refuse(format('%s is no key of an event', k)) FROM unnest(p_keys) k
  WHERE CASE WHEN k ~ c_key THEN split_part(k, '/', 3)::numeric >= 18446744073709551616 ELSE true END;
  SELECT coalesce(array_agg(split_part(k, '/', 1)::bigint ORDER BY i), '{}'),
         coalesce(array_agg(split_part(k, '/', 2)::bigint ORDER BY i), '{}'),
         coalesce(array_agg(tenure.as_signed(split_part(k, '/', 3)::numeric) ORDER BY i), '{}')
  INTO v_schedules, v_slots, v_runs FROM unnest(p_keys) WITH ORDINALITY AS u (k, i);
  PERFORM tenure.prepare(tenure.own_wait_ms());
  -- Of those who ask for the same events the first has them, and the others wait: in one order.
  PERFORM FROM tenure.waiting x WHERE x.ctid = ANY (ARRAY(
    SELECT w.place FROM unnest(v_schedules, v_slots, v_runs) AS i (schedule, slot_us, run)
    CROSS JOIN LATERAL tenure.place_for(p_resource, i.schedule, i.slot_us, i.run, 1, p_topic) w))
  FOR UPDATE;
  SELECT count(DISTINCT i), count(DISTINCT w.place) INTO v_events, v_waited
  FROM unnest(v_schedules, v_slots, v_runs) AS i (schedule, slot_us, run)
  LEFT JOIN LATERAL tenure.place_for(p_resource, i.schedule, i.slot_us, i.run, 1, p_topic) w ON true;
  IF v_waited < v_events THEN
    RAISE EXCEPTION '% of % events do not wait any more', v_events - v_waited, v_events
      USING ERRCODE = 'TN002', DETAIL = 'acknowledged', HINT = 'Somebody else has acknowledged them. Poll again.';
  END IF;
  SELECT a.claimed INTO v_claimed
  FROM tenure.acknowledge_events(tenure.own_wait_ms(), p_resource, v_schedules, v_slots, v_runs,
                                 array_fill(1::bigint, ARRAY[cardinality(p_keys)]),
                                 array_fill(p_topic, ARRAY[cardinality(p_keys)]), tenure.is_late()) a;
  IF v_claimed > 0 THEN
    RAISE EXCEPTION 'workers are at % of the events', v_claimed
      USING ERRCODE = 'TN002', DETAIL = 'claimed', HINT = 'Whoever claimed an event ends it.';
  END IF;
  RETURN v_waited;
END $$;

CREATE OR REPLACE FUNCTION tenure.claim_events(
    p_topic text, p_max int DEFAULT 1, p_duration interval DEFAULT '1 minute', p_worker text DEFAULT current_user,
    p_resource bigint DEFAULT 0)
RETURNS TABLE (execution text, attempt bigint, until timestamptz, seq bigint, key text, schedule text, topic text,
               type text, data text, labels json, slot timestamptz, run numeric)
LANGUAGE plpgsql @called@
AS $$
DECLARE
  v_nonce bigint := ('x' || substr(replace(gen_random_uuid()::text, '-', ''), 17))::bit(64)::bigint
                    & 9223372036854775807 | 1;
  v record;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_topic, p_max, p_duration, p_worker, p_resource));
  PERFORM tenure.refuse(CASE WHEN p_max NOT BETWEEN 0 AND 1000 THEN 'at most 1000 events are claimed at a time' END),
          tenure.check_text('the topic', p_topic, 120), tenure.check_text('the worker', p_worker, 120);
  SELECT * INTO v FROM tenure.claim(tenure.own_wait_ms(), p_resource, p_topic, p_max, tenure.claim_us(p_duration),
                                    p_worker, v_nonce, tenure.is_late());
  RETURN QUERY
  SELECT format('%s.%s.%s', replace(e.key, '/', '.'), e.attempt, v_nonce), e.attempt, e.claimed_until, e.seq, e.key,
         e.schedule, e.topic, e.type, e.data, e.labels, e.slot, e.run
  FROM unnest(v.seqs) AS c (seq)
  -- One index has the order of numbers, and sorting is forbidden: each is found by its number.
  CROSS JOIN LATERAL (
    SELECT x.* FROM tenure.pulled x
    WHERE x.resource = p_resource AND x.seq >= c.seq AND x.seq <= c.seq ORDER BY x.seq LIMIT 1) e
  ORDER BY e.seq;
END $$;

-- Without a duration: for as long as it was claimed for, or extended by the last heartbeat.
CREATE OR REPLACE FUNCTION tenure.heartbeat(
    p_execution text, p_duration interval DEFAULT NULL, p_resource bigint DEFAULT 0, OUT standing text,
    OUT cancel boolean, OUT until timestamptz)
LANGUAGE plpgsql @called@
AS $$
DECLARE
  t bigint[];
  v record;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_execution, p_resource));
  t := tenure.read_execution(p_execution);
  SELECT * INTO v FROM tenure.extend_attempts(
      tenure.own_wait_ms(), p_resource, CASE WHEN p_duration IS NULL THEN 0 ELSE tenure.claim_us(p_duration) END,
      t[1:1], t[2:2], t[3:3], t[4:4], t[5:5], tenure.is_late());
  SELECT x.standing, x.until INTO heartbeat.standing, heartbeat.until
  FROM tenure.tell(p_execution, v.standings[1], v.untils[1], '{4,5,6}') x;
  cancel := heartbeat.standing = 'cancelled';
END $$;

-- p_how: as p_failed of tenure.end_attempts. p_over: as for tenure.tell.
CREATE OR REPLACE FUNCTION tenure.end_execution(
    p_execution text, p_resource bigint, p_how bigint, p_why text, p_over bigint[], OUT standing text,
    OUT until timestamptz)
LANGUAGE plpgsql
AS $$
DECLARE
  t bigint[];
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_execution, p_resource, p_how, p_why, p_over));
  t := tenure.read_execution(p_execution);
  SELECT x.standing, x.until INTO end_execution.standing, end_execution.until
  FROM tenure.end_attempts(tenure.own_wait_ms(), p_resource, t[1:1], t[2:2], t[3:3], t[4:4], t[5:5], ARRAY[p_how],
                           ARRAY[p_why], tenure.is_late()) e
  CROSS JOIN LATERAL tenure.tell(p_execution, e.standings[1], e.untils[1], p_over) x;
END $$;

CREATE OR REPLACE FUNCTION tenure.complete(p_execution text, p_resource bigint DEFAULT 0) RETURNS void
LANGUAGE plpgsql @called@
AS $$
BEGIN
  PERFORM tenure.end_execution(p_execution, p_resource, 0, '', '{4,5,6}');
END $$;

-- A failure may be the last one, or make room for a later event: it is taken all the same.
CREATE OR REPLACE FUNCTION tenure.fail(
    p_execution text, p_why text DEFAULT '', p_resource bigint DEFAULT 0, OUT standing text, OUT until timestamptz)
LANGUAGE plpgsql @called@
AS $$
BEGIN
  PERFORM tenure.check_text('the reason', p_why, 1000);
  SELECT x.* INTO standing, until FROM tenure.end_execution(p_execution, p_resource, 1, p_why, '{6}') x;
END $$;

-- The event may be claimed again at once, and this attempt does not count.
CREATE OR REPLACE FUNCTION tenure.give_back(
    p_execution text, p_resource bigint DEFAULT 0, OUT standing text, OUT until timestamptz)
LANGUAGE plpgsql @called@
AS $$
BEGIN
  SELECT x.* INTO standing, until FROM tenure.end_execution(p_execution, p_resource, 2, '', '{6}') x;
END $$;
