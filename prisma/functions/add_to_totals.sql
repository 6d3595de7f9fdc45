-- Adds to the totals of a day, or with the day '-infinity' of what is held, of each of `p_users`; the user 00000000-… is the tenant as a whole. Negative numbers subtract.
-- A total is the sum of its rows. No transaction waits for another: it takes the first number whose rows no other transaction of the tenant is changing, and keeps it until its end.
CREATE OR REPLACE FUNCTION add_to_totals(
  p_tenant uuid, p_users uuid[], p_day date, p_prompts bigint, p_tokens bigint, p_cost bigint, p_sessions bigint, p_bytes bigint
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  free    int := 0;
  found   int;
  of_user uuid;
BEGIN
  WHILE NOT pg_try_advisory_xact_lock(8150316, uuid_hash(p_tenant) # free) LOOP -- the first number is this function's own
    free := free + 1;
  END LOOP;
  -- A statement of its own, to see what was committed before the lock.
  UPDATE usage_total t SET prompts = t.prompts + p_prompts, tokens = t.tokens + p_tokens, cost = t.cost + p_cost, sessions = t.sessions + p_sessions, bytes = t.bytes + p_bytes
  WHERE t.tenant_id = p_tenant AND t.day = p_day AND t.user_id = ANY (p_users) AND t.slot = free;
  GET DIAGNOSTICS found = ROW_COUNT;
  IF found < cardinality(p_users) THEN
    FOREACH of_user IN ARRAY p_users LOOP
      INSERT INTO usage_total (tenant_id, day, user_id, slot, prompts, tokens, cost, sessions, bytes)
      VALUES (p_tenant, p_day, of_user, free, p_prompts, p_tokens, p_cost, p_sessions, p_bytes) ON CONFLICT (tenant_id, day, user_id, slot) DO NOTHING;
    END LOOP;
    -- The totals of earlier days are no longer read or written.
    DELETE FROM usage_total t WHERE t.tenant_id = p_tenant AND (t.day, t.user_id, t.slot) IN (
      SELECT o.day, o.user_id, o.slot FROM usage_total o WHERE o.tenant_id = p_tenant AND o.day > '-infinity' AND o.day < p_day - 2 LIMIT 100 FOR UPDATE SKIP LOCKED);
  END IF;
END $$;

REVOKE ALL ON FUNCTION add_to_totals FROM PUBLIC;
GRANT EXECUTE ON FUNCTION add_to_totals TO verbatim_app;
