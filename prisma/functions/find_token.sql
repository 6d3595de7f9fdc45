-- The token with a hash, and its user: it is the token that says for which tenant a request is. refused: why it is not accepted.
CREATE OR REPLACE FUNCTION find_token(p_hash bytea)
RETURNS TABLE (token_id uuid, tenant_id uuid, user_id uuid, role text, user_role text, scopes text[], expires_at timestamptz, refused text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT t.token_id, t.tenant_id, t.user_id, t.role, u.role, t.scopes, t.expires_at,
    CASE WHEN t.revoked_at IS NOT NULL THEN 'it is revoked' WHEN t.expires_at <= now() THEN 'it has expired'
      WHEN u.disabled_at IS NOT NULL THEN 'the user is disabled' END
  FROM api_token t JOIN app_user u USING (tenant_id, user_id) WHERE t.token_hash = p_hash
$$;
