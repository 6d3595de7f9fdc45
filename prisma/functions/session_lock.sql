-- The key of the advisory lock that every append to a session's log holds: of tenant and session, as all keys are. Two sessions with the same key only wait for each other.
CREATE OR REPLACE FUNCTION session_lock(p_tenant uuid, p_session uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT uuid_hash_extended(p_session, uuid_hash_extended(p_tenant, 0))
$$;

REVOKE ALL ON FUNCTION session_lock FROM PUBLIC;
GRANT EXECUTE ON FUNCTION session_lock TO verbatim_app;
