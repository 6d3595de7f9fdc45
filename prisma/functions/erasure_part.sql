-- The part of the erasures in the background, 0 to 15, to which a session belongs: each part is done by one process at a time.
CREATE OR REPLACE FUNCTION erasure_part(p_session uuid) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT uuid_hash(p_session) & 15
$$;

REVOKE ALL ON FUNCTION erasure_part FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erasure_part TO verbatim_app;
