-- Whether a legal hold keeps the session from being erased: its own, or of the sessions that it is a helper of.
CREATE OR REPLACE FUNCTION is_held(p_tenant uuid, p_session uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  WITH RECURSIVE up(session_id) AS (
    SELECT p_session
    UNION SELECT s.parent_id FROM up JOIN session s ON s.tenant_id = p_tenant AND s.session_id = up.session_id WHERE s.parent_id IS NOT NULL)
  SELECT EXISTS (SELECT FROM up JOIN legal_hold h ON h.tenant_id = p_tenant AND h.session_id = up.session_id)
$$;

REVOKE ALL ON FUNCTION is_held FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_held TO verbatim_app;
