-- Counts a use of the link with the hash of its secret, and returns what it shows. No row: it is unknown, revoked or over.
CREATE OR REPLACE FUNCTION redeem_link(p_hash bytea) RETURNS TABLE (tenant_id uuid, link_id uuid, session_id uuid, message_id uuid)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  UPDATE session_link l SET uses = l.uses + 1 WHERE l.token_hash = p_hash AND l.revoked_at IS NULL AND l.expires_at > now()
  RETURNING l.tenant_id, l.link_id, l.session_id, l.message_id
$$;
