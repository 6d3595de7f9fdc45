-- Sets the retention of a session in days, or removes it, in the commit of the append that configures it: called with its outcome.
CREATE OR REPLACE FUNCTION retain_session(p_outcome text, p_tenant uuid, p_session uuid, p_days int) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  IF p_days IS NULL THEN
    DELETE FROM session_retention r WHERE r.tenant_id = p_tenant AND r.session_id = p_session;
  ELSE
    INSERT INTO session_retention AS r (session_id, tenant_id, days, not_before)
    SELECT s.session_id, s.tenant_id, p_days, clock_timestamp() + p_days * interval '1 day' FROM stream s WHERE s.tenant_id = p_tenant AND s.session_id = p_session
    ON CONFLICT (tenant_id, session_id) DO UPDATE SET days = excluded.days, not_before = excluded.not_before;
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION retain_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retain_session TO verbatim_app;
