-- The key of the advisory lock that every change of a user's memory holds. It differs from that of a session with the same id.
CREATE OR REPLACE FUNCTION memory_lock(p_tenant uuid, p_user uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT uuid_hash_extended(p_user, uuid_hash_extended(p_tenant, 1))
$$;

REVOKE ALL ON FUNCTION memory_lock FROM PUBLIC;
