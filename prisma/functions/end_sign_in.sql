-- Ends the sign-in with the hash of its secret. No row: there is none.
CREATE OR REPLACE FUNCTION end_sign_in(p_hash bytea) RETURNS TABLE (sign_in_id uuid, tenant_id uuid)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DELETE FROM sign_in s WHERE s.secret_hash = p_hash RETURNING s.sign_in_id, s.tenant_id
$$;
