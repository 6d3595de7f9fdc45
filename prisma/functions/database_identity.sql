-- Which database this is: the same on a primary and on its physical standbys, and on no other. Ends with the number of the database, since a server has several.
CREATE OR REPLACE FUNCTION database_identity() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT s.system_identifier || '/' || d.oid FROM pg_catalog.pg_control_system() s, pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()
$$;

REVOKE ALL ON FUNCTION database_identity FROM PUBLIC;
GRANT EXECUTE ON FUNCTION database_identity TO verbatim_app;
