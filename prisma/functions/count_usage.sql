-- Adds the usage in the events of an append, in the commit of that append: called with its outcome and timestamp, does nothing unless it
-- appended. So a repeated command counts once. The session is part of the key: appends to different sessions do not wait for each other. The totals of the day have their own key.
CREATE OR REPLACE FUNCTION count_usage(
  p_outcome text, p_at timestamptz, p_tenant uuid, p_session uuid,
  p_entries jsonb, -- [{userId, model, prompts, requests, inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, cost, also}]; also: ids of a token and a session that it counts for
  p_count boolean DEFAULT true -- false: the caller adds to the totals
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  on_day date := (p_at AT TIME ZONE 'UTC')::date;
  e      record;
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  FOR e IN SELECT * FROM jsonb_to_recordset(p_entries) AS x("userId" uuid, model text, prompts int, requests int, "inputTokens" bigint, "outputTokens" bigint,
    "cacheReadTokens" bigint, "cacheCreationTokens" bigint, cost bigint, also uuid[])
  LOOP
    -- Not an INSERT … ON CONFLICT, for the reason in append_events: the session, a part of the key, is locked.
    UPDATE usage u SET
      prompts = u.prompts + e.prompts,
      requests = u.requests + e.requests,
      input_tokens = u.input_tokens + e."inputTokens",
      output_tokens = u.output_tokens + e."outputTokens",
      cache_read_tokens = u.cache_read_tokens + e."cacheReadTokens",
      cache_creation_tokens = u.cache_creation_tokens + e."cacheCreationTokens",
      cost = u.cost + e.cost
    WHERE u.tenant_id = p_tenant AND u.day = on_day AND u.user_id = e."userId" AND u.session_id = p_session AND u.model = e.model;
    IF NOT FOUND THEN
      INSERT INTO usage (tenant_id, day, user_id, session_id, model, prompts, requests, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, cost)
      VALUES (p_tenant, on_day, e."userId", p_session, e.model, e.prompts, e.requests, e."inputTokens", e."outputTokens", e."cacheReadTokens", e."cacheCreationTokens", e.cost);
    END IF;
    IF p_count THEN
      PERFORM add_to_totals(p_tenant, ARRAY['00000000-0000-0000-0000-000000000000', e."userId"] || coalesce(e.also, '{}'), on_day,
        e.prompts, e."inputTokens" + e."outputTokens" + e."cacheCreationTokens", e.cost, 0, 0);
    END IF;
  END LOOP;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION count_usage FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_usage TO verbatim_app;
