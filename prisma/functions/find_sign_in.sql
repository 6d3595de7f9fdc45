-- The sign-in of a browser with the hash of its secret, and its user. refused: why it is not accepted. is_due: whether its use is to be written.
CREATE OR REPLACE FUNCTION find_sign_in(p_hash bytea, p_idle_ms float8, p_due_ms float8)
RETURNS TABLE (sign_in_id uuid, tenant_id uuid, user_id uuid, role text, groups text[], expires_at timestamptz, refused text, is_due boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT s.sign_in_id, s.tenant_id, s.user_id, u.role, s.groups, s.expires_at,
    CASE WHEN u.disabled_at IS NOT NULL THEN 'the user is disabled' WHEN s.expires_at <= now() THEN 'it has expired'
      WHEN s.last_used_at <= now() - p_idle_ms * interval '1 millisecond' THEN 'it was not used for too long' END,
    s.last_used_at < now() - p_due_ms * interval '1 millisecond'
  FROM sign_in s JOIN app_user u USING (tenant_id, user_id) WHERE s.secret_hash = p_hash
$$;
