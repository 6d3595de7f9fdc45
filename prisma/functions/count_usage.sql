-- Adds the usage in the events of an append, in the commit of that append: called with its outcome and timestamp, does nothing unless it
-- appended. So a repeated command counts once. The session is part of the key: appends to different sessions do not wait for each other.
CREATE OR REPLACE FUNCTION count_usage(
  p_outcome text, p_at timestamptz, p_tenant uuid, p_session uuid,
  p_entries jsonb -- [{userId, model, prompts, requests, inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, cost}], each user and model once
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  INSERT INTO usage AS u (tenant_id, day, user_id, session_id, model, prompts, requests, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, cost)
  SELECT p_tenant, (p_at AT TIME ZONE 'UTC')::date, e."userId", p_session, e.model, e.prompts, e.requests, e."inputTokens", e."outputTokens",
    e."cacheReadTokens", e."cacheCreationTokens", e.cost
  FROM jsonb_to_recordset(p_entries) AS e("userId" uuid, model text, prompts int, requests int, "inputTokens" bigint, "outputTokens" bigint,
    "cacheReadTokens" bigint, "cacheCreationTokens" bigint, cost bigint)
  ON CONFLICT (tenant_id, day, user_id, session_id, model) DO UPDATE SET
    prompts = u.prompts + excluded.prompts,
    requests = u.requests + excluded.requests,
    input_tokens = u.input_tokens + excluded.input_tokens,
    output_tokens = u.output_tokens + excluded.output_tokens,
    cache_read_tokens = u.cache_read_tokens + excluded.cache_read_tokens,
    cache_creation_tokens = u.cache_creation_tokens + excluded.cache_creation_tokens,
    cost = u.cost + excluded.cost;
  RETURN true;
END $$;
