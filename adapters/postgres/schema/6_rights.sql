-- ---- rights: for those who run Tenure without owning its tables, and those who guard transactions of their own ------

CREATE OR REPLACE FUNCTION tenure.must_own() RETURNS void LANGUAGE plpgsql
AS $$
BEGIN  -- of whoever may not grant, GRANT itself only warns
  IF EXISTS (SELECT FROM pg_class WHERE relnamespace = 'tenure'::regnamespace AND relkind = 'r'
             AND NOT pg_has_role(current_user, relowner, 'USAGE')) THEN
    RAISE EXCEPTION '% may not grant rights on the tables of Tenure: their owner may', current_user
      USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;

-- Programs call the functions that run with the rights of their owner, and have no rights on the tables.
CREATE OR REPLACE FUNCTION tenure.grant_run(p_role regrole) RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
  v_function regprocedure;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_role)), tenure.must_own();
  EXECUTE format('GRANT USAGE ON SCHEMA tenure TO %s', p_role);
  EXECUTE format('GRANT SELECT ON tenure.meta, tenure.events TO %s', p_role);
  FOR v_function IN SELECT oid FROM pg_proc WHERE pronamespace = 'tenure'::regnamespace AND prosecdef LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', v_function, p_role);
  END LOOP;
END $$;
CREATE OR REPLACE FUNCTION tenure.grant_guard(p_role regrole) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_role)), tenure.must_own();
  EXECUTE format('GRANT USAGE ON SCHEMA tenure TO %s', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION tenure.assert_epoch(bigint, bigint, bigint) TO %s', p_role);
END $$;
-- Consumers see what waits for consumers, and take it. They see no schedule, and nothing that others deliver.
CREATE OR REPLACE FUNCTION tenure.grant_consume(p_role regrole) RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
  v_function regprocedure;
BEGIN
  PERFORM tenure.refuse_null(num_nulls(p_role)), tenure.must_own();
  EXECUTE format('GRANT USAGE ON SCHEMA tenure TO %s', p_role);
  EXECUTE format('GRANT SELECT ON tenure.events TO %s', p_role);
  FOR v_function IN
    SELECT oid FROM pg_proc WHERE pronamespace = 'tenure'::regnamespace
      AND proname IN ('poll', 'ack', 'claim_events', 'heartbeat', 'complete', 'fail', 'give_back')
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', v_function, p_role);
  END LOOP;
END $$;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA tenure FROM PUBLIC;

-- Roles that could run or consume before a migration may call the functions that it adds.
DO $$
DECLARE
  v_granted record;
BEGIN
  FOR v_granted IN
    SELECT DISTINCT a.grantee::regrole AS role, p.proname = 'commit_fires' AS runs
    FROM pg_proc p CROSS JOIN LATERAL aclexplode(p.proacl) a
    WHERE p.pronamespace = 'tenure'::regnamespace AND p.proname IN ('commit_fires', 'fail')
      AND a.grantee NOT IN (0, p.proowner)
  LOOP
    IF v_granted.runs THEN
      PERFORM tenure.grant_run(v_granted.role);
    ELSE
      PERFORM tenure.grant_consume(v_granted.role);
    END IF;
  END LOOP;
END $$;
