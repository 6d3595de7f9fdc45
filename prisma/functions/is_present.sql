-- Whether a process that holds this id has an open session: ProcessPresence takes a lock of its session for it, which Postgres releases when the process dies. Two ids with the same
-- hash look alike: the one that has died is then found by the end of its lease.
CREATE OR REPLACE FUNCTION is_present(p_id text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    AND l.classid = 8150317 AND l.objid = (hashtext(p_id)::bigint & 4294967295)::oid AND l.objsubid = 2 AND l.granted)
$$;

REVOKE ALL ON FUNCTION is_present FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_present TO verbatim_app;
