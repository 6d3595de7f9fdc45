-- Whether a legal hold keeps the session from being erased: its own, or of the sessions that it is a helper of.
CREATE OR REPLACE FUNCTION is_held(p_tenant uuid, p_session uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  up uuid := p_session;
BEGIN
  WHILE up IS NOT NULL LOOP -- a parent is older than its helpers
    IF EXISTS (SELECT FROM legal_hold h WHERE h.tenant_id = p_tenant AND h.session_id = up) THEN
      RETURN true;
    END IF;
    SELECT s.parent_id INTO up FROM session s WHERE s.tenant_id = p_tenant AND s.session_id = up;
  END LOOP;
  RETURN false;
END $$;

REVOKE ALL ON FUNCTION is_held FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_held TO verbatim_app;
