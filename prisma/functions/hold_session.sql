-- Places or releases the legal hold of a session, in the commit of the append with the event that says so: called with its outcome.
CREATE OR REPLACE FUNCTION hold_session(p_outcome text, p_tenant uuid, p_session uuid, p_held boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  IF p_held THEN
    INSERT INTO legal_hold (session_id, tenant_id)
    SELECT s.session_id, s.tenant_id FROM stream s WHERE s.tenant_id = p_tenant AND s.session_id = p_session ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM legal_hold h WHERE h.tenant_id = p_tenant AND h.session_id = p_session;
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION hold_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hold_session TO verbatim_app;
