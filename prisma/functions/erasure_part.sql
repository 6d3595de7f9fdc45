-- The part of the erasures in the background, 0 to 15, to which a session belongs: each part is done by one process at a time.
CREATE OR REPLACE FUNCTION erasure_part(p_session uuid) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT uuid_hash(p_session) & 15
$$;
