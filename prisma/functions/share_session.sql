-- Writes who has which role in a session, in the commit of the append with the events that say so: called with its outcome. The arrays are parallel.
CREATE OR REPLACE FUNCTION share_session(p_outcome text, p_tenant uuid, p_session uuid, p_owner uuid, p_principals text[], p_roles text[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  owner_before uuid;
  files        bytea[];
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  DELETE FROM session_grant g WHERE g.tenant_id = p_tenant AND g.session_id = p_session AND NOT g.principal = ANY (p_principals);
  IF EXISTS (SELECT FROM stream s WHERE s.tenant_id = p_tenant AND s.session_id = p_session) THEN
    FOR i IN 1..cardinality(p_principals) LOOP
      INSERT INTO session_grant AS g (session_id, tenant_id, principal, role) VALUES (p_session, p_tenant, p_principals[i], p_roles[i])
      ON CONFLICT (tenant_id, session_id, principal) DO UPDATE SET role = excluded.role WHERE g.role <> excluded.role;
    END LOOP;
  END IF;
  SELECT s.user_id INTO owner_before FROM session s WHERE s.tenant_id = p_tenant AND s.session_id = p_session;
  IF owner_before <> p_owner THEN
    files := ARRAY(SELECT u.sha256 FROM blob_use u WHERE u.tenant_id = p_tenant AND u.session_id = p_session);
    PERFORM count_files(p_tenant, p_session, owner_before, files, -1);
    UPDATE session s SET user_id = p_owner WHERE s.tenant_id = p_tenant AND s.session_id = p_session;
    PERFORM count_files(p_tenant, p_session, p_owner, files, 1);
    IF NOT EXISTS (SELECT FROM erased_session e WHERE e.tenant_id = p_tenant AND e.session_id = p_session) THEN
      PERFORM add_to_totals(p_tenant, ARRAY[owner_before], '-infinity', 0, 0, 0, -1, 0);
      PERFORM add_to_totals(p_tenant, ARRAY[p_owner], '-infinity', 0, 0, 0, 1, 0);
    END IF;
    -- The words include the user: see project_session.
    UPDATE search_text t SET user_id = p_owner,
      words = ts_delete(t.words, chr(1) || 'u' || left(owner_before::text, 8)) || array_to_tsvector(ARRAY[chr(1) || 'u' || left(p_owner::text, 8)])
    WHERE t.tenant_id = p_tenant AND t.session_id = p_session;
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION share_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION share_session TO verbatim_app;
