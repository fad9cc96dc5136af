-- ---- leases: the rules are those of core/store/reference/lease.h, and cited by its numbers --------------------------

-- Why a request that shows a token must change nothing; null when it may go ahead. The numbers are those of Denial.
-- Whatever is not known to be as it must be is refused: a null among the arguments, too.
CREATE OR REPLACE FUNCTION tenure.denial(
    l tenure.lease, p_node bigint, p_life bigint, p_branch bigint, p_epoch bigint, p_nonce bigint,
    p_store_branch bigint, p_now bigint) RETURNS int
LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE
    WHEN l.resource IS NULL OR l.holder_life = 0 THEN 0
    WHEN l.holder_node IS DISTINCT FROM p_node OR l.holder_life IS DISTINCT FROM p_life THEN 1
    WHEN l.branch IS DISTINCT FROM p_branch OR l.epoch IS DISTINCT FROM p_epoch OR l.nonce IS DISTINCT FROM p_nonce
      OR l.branch IS DISTINCT FROM p_store_branch THEN 2
    WHEN (p_now < l.expires_us) IS NOT TRUE THEN 3
  END
$$;

CREATE OR REPLACE FUNCTION tenure.lease_reply_of(l tenure.lease, p_now bigint, p_why int) RETURNS tenure.lease_reply
LANGUAGE sql IMMUTABLE
AS $$
  SELECT ROW(p_now, coalesce(l.stamp, 0), p_why, coalesce(l.holder_node, 0), coalesce(l.holder_life, 0),
             coalesce(l.branch, 0), coalesce(l.epoch, 0), coalesce(l.nonce, 0),
             coalesce(l.expires_us - l.written_us, 0),
             coalesce(greatest(0, least(l.expires_us - p_now, l.expires_us - l.written_us)), 0))::tenure.lease_reply
$$;

-- Rule 4: the clock went back, and the whole promise is counted again.
CREATE OR REPLACE FUNCTION tenure.promised_again(l tenure.lease, p_now bigint)
RETURNS tenure.lease LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
  l.expires_us := least(p_now + (l.expires_us - l.written_us), 9223372036854775);
  l.written_us := p_now;
  RETURN l;
END $$;

-- Rule 3: never shorter.
CREATE OR REPLACE FUNCTION tenure.extended(l tenure.lease, p_now bigint, p_duration bigint) RETURNS tenure.lease
LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
  IF p_now < l.written_us THEN
    l := tenure.promised_again(l, p_now);
  END IF;
  l.expires_us := greatest(l.expires_us, least(p_now + p_duration, 9223372036854775));
  l.written_us := p_now;
  RETURN l;
END $$;

-- REQUIRES: the row is locked. An acquire and a release come after all that was committed under the lease before.
-- In plpgsql, which keeps its plan from call to call.
CREATE OR REPLACE FUNCTION tenure.save_lease(l tenure.lease, p_now bigint) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE tenure.lease t
  SET holder_node = l.holder_node, holder_life = l.holder_life, epoch = l.epoch, nonce = l.nonce, branch = l.branch,
      written_us = l.written_us, expires_us = l.expires_us, stamp = l.stamp, server_us = tenure.server_us(),
      seen_us = p_now
  WHERE t.resource = l.resource;
END $$;
-- A leadership begins, and nobody may be left who knows what the clock said before: firing is held if the server was
-- started anew since the lease was last written, and its clock has gone back, or on by more than ten minutes
-- (docs/adr/0087: what vouches for a clock). REQUIRES: the lease is locked.
CREATE OR REPLACE FUNCTION tenure.hold_if_in_doubt(l tenure.lease, p_now bigint) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  IF l.server_us NOT IN (0, tenure.server_us()) AND p_now - l.seen_us NOT BETWEEN -500000 AND 600000000 THEN
    UPDATE tenure.head h SET hold_since_us = p_now, hold_jump_ns = (p_now - l.seen_us) * 1000
    WHERE h.resource = l.resource;
  END IF;
END $$;
CREATE OR REPLACE FUNCTION tenure.next_stamp(l tenure.lease) RETURNS bigint LANGUAGE sql
AS $$ SELECT greatest(l.stamp, (SELECT stamp FROM tenure.head WHERE resource = l.resource)) + 1 $$;

CREATE OR REPLACE FUNCTION tenure.acquire(
    p_wait_ms bigint, p_resource bigint, p_node bigint, p_life bigint, p_epoch_seen bigint, p_nonce bigint,
    p_duration bigint) RETURNS tenure.lease_reply
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  l tenure.lease;
  v_now bigint;
  v_branch bigint;
  v_why int;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_node, p_life, p_epoch_seen, p_nonce, p_duration));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO l FROM tenure.lease WHERE resource = p_resource FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO tenure.head (resource) VALUES (p_resource) ON CONFLICT DO NOTHING;
    INSERT INTO tenure.lease (resource) VALUES (p_resource) ON CONFLICT DO NOTHING;
    SELECT * INTO l FROM tenure.lease WHERE resource = p_resource FOR UPDATE;
  END IF;
  v_now := tenure.now_us();  -- the lock first: who waited for it must not judge by the time before
  v_branch := tenure.branch();

  IF l.holder_life <> 0 AND l.branch <> v_branch THEN  -- rule 5
    v_why := 5;
    l.branch := v_branch;
    l := tenure.promised_again(l, v_now);
  ELSIF l.holder_life <> 0 AND v_now < l.written_us THEN  -- rule 4
    v_why := 4;
    l := tenure.promised_again(l, v_now);
  ELSIF l.holder_life <> 0 AND v_now < l.expires_us AND (l.holder_node <> p_node OR l.holder_life <> p_life) THEN
    RETURN tenure.lease_reply_of(l, v_now, 1);
  ELSIF p_epoch_seen IS DISTINCT FROM l.epoch THEN  -- rule 1
    RETURN tenure.lease_reply_of(l, v_now, 6);
  ELSIF l.holder_life <> 0 AND v_now < l.expires_us THEN
    l := tenure.extended(l, v_now, p_duration);
  ELSE
    l.holder_node := p_node;
    l.holder_life := p_life;
    l.epoch := l.epoch + 1;
    l.nonce := p_nonce;
    l.branch := v_branch;
    l.written_us := v_now;
    l.expires_us := least(v_now + p_duration, 9223372036854775);
  END IF;
  PERFORM tenure.hold_if_in_doubt(l, v_now);
  l.stamp := tenure.next_stamp(l);
  PERFORM tenure.save_lease(l, v_now);
  RETURN tenure.lease_reply_of(l, v_now, v_why);
END $$;

-- The weaker lock: fires hold the row FOR KEY SHARE, and must not keep a renewal waiting.
CREATE OR REPLACE FUNCTION tenure.renew(
    p_wait_ms bigint, p_resource bigint, p_node bigint, p_life bigint, p_branch bigint, p_epoch bigint, p_nonce bigint,
    p_duration bigint) RETURNS tenure.lease_reply
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  l tenure.lease;
  v_now bigint;
  v_why int;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_node, p_life, p_branch, p_epoch, p_nonce, p_duration));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO l FROM tenure.lease WHERE resource = p_resource FOR NO KEY UPDATE;
  v_now := tenure.now_us();
  v_why := tenure.denial(l, p_node, p_life, p_branch, p_epoch, p_nonce, tenure.branch(), v_now);
  IF v_why IS NULL THEN
    l := tenure.extended(l, v_now, p_duration);
    l.stamp := l.stamp + 1;
    PERFORM tenure.save_lease(l, v_now);
  END IF;
  RETURN tenure.lease_reply_of(l, v_now, v_why);
END $$;

CREATE OR REPLACE FUNCTION tenure.release(
    p_wait_ms bigint, p_resource bigint, p_node bigint, p_life bigint, p_branch bigint, p_epoch bigint, p_nonce bigint)
    RETURNS tenure.lease_reply
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  l tenure.lease;
  v_now bigint;
  v_why int;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_resource, p_node, p_life, p_branch, p_epoch, p_nonce));
  PERFORM tenure.prepare(p_wait_ms);
  SELECT * INTO l FROM tenure.lease WHERE resource = p_resource FOR UPDATE;
  v_now := tenure.now_us();
  v_why := tenure.denial(l, p_node, p_life, p_branch, p_epoch, p_nonce, tenure.branch(), v_now);
  IF v_why IS NULL THEN  -- rule 6: the epoch stays
    l.holder_node := 0;
    l.holder_life := 0;
    l.nonce := 0;
    l.written_us := 0;
    l.expires_us := 0;
    l.stamp := tenure.next_stamp(l);
    PERFORM tenure.save_lease(l, v_now);
    PERFORM pg_notify('tenure', 'lease_freed ' || p_resource);
  END IF;
  RETURN tenure.lease_reply_of(l, v_now, v_why);
END $$;

-- For transactions of the user's own: nobody else is granted the lease until they are over, or they fail with SQLSTATE
-- TN001: a token that is null in any part is nobody's. It runs with the rights of its owner, so that its callers need
-- none on the tables.
CREATE OR REPLACE FUNCTION tenure.assert_epoch(p_resource bigint, p_epoch bigint, p_nonce bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  l tenure.lease;
  v_why int;
BEGIN
  SELECT * INTO l FROM tenure.lease WHERE resource = p_resource FOR KEY SHARE;
  v_why := tenure.denial(l, l.holder_node, l.holder_life, tenure.branch(), p_epoch, p_nonce, tenure.branch(),
                         tenure.now_us());
  IF v_why IS NOT NULL THEN
    RAISE EXCEPTION 'not the leader of resource %: %', coalesce(p_resource::text, 'NULL'),
      CASE v_why WHEN 0 THEN 'nobody holds the lease' WHEN 3 THEN 'the lease has expired'
                 ELSE 'another term has begun' END
      USING ERRCODE = 'TN001', HINT = 'Roll back, and stop work of this term.';
  END IF;
END $$;
