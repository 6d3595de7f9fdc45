-- Adds the bytes of files that a session of the user has received (p_sign 1), or no longer has (-1), to what the user holds: each file counts once for a user, whichever of their sessions have it.
-- The caller holds the lock of the session.
CREATE OR REPLACE FUNCTION count_files(p_tenant uuid, p_session uuid, p_user uuid, p_files bytea[], p_sign int) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  bytes bigint;
BEGIN
  PERFORM lock_files(p_tenant, p_user, p_files);
  -- A statement of its own, to see what was committed before the locks. octet_length reads the length that is stored with the bytes, not the bytes.
  SELECT sum(coalesce(b.object_bytes, octet_length(b.bytes))) INTO bytes FROM blob b WHERE b.tenant_id = p_tenant AND b.sha256 = ANY (p_files) AND NOT EXISTS (
    SELECT FROM blob_use u JOIN session s ON s.tenant_id = u.tenant_id AND s.session_id = u.session_id
    WHERE u.tenant_id = p_tenant AND u.sha256 = b.sha256 AND u.session_id <> p_session AND s.user_id = p_user);
  IF bytes > 0 THEN
    PERFORM add_to_totals(p_tenant, ARRAY[p_user], '-infinity', 0, 0, 0, 0, p_sign * bytes);
  END IF;
END $$;

REVOKE ALL ON FUNCTION count_files FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_files TO verbatim_app;
