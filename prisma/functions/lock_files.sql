-- Locks files for a user, until the end of the transaction: two sessions of the user that receive or lose the same file at the same time see each other. Before any lock of the files' own rows, and in
-- the order of the files, so that none waits in a circle.
CREATE OR REPLACE FUNCTION lock_files(p_tenant uuid, p_user uuid, p_files bytea[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  file bytea;
BEGIN
  FOR file IN SELECT f.sha256 FROM unnest(p_files) AS f(sha256) ORDER BY f.sha256 LOOP
    PERFORM pg_advisory_xact_lock(uuid_hash_extended(p_user, uuid_hash_extended(p_tenant, ('x' || encode(substr(file, 1, 8), 'hex'))::bit(64)::bigint)));
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION lock_files FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lock_files TO verbatim_app;
