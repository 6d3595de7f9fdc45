-- Sessions of all tenants after one, in the order of tenants and ids: whether they hold messages or prompts in plain text.
CREATE OR REPLACE FUNCTION find_plain_sessions(p_after_tenant uuid, p_after uuid, p_limit int) RETURNS TABLE (tenant_id uuid, session_id uuid, plain boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT s.tenant_id, s.session_id, EXISTS (
    SELECT FROM event e WHERE e.tenant_id = s.tenant_id AND e.session_id = s.session_id AND e.type IN ('prompt.submitted', 'message.appended') AND e.salt IS NOT NULL AND json_typeof(e.data) = 'object')
    OR EXISTS (SELECT FROM log_archive a WHERE a.tenant_id = s.tenant_id AND a.session_id = s.session_id AND a.object IS NOT NULL AND a.is_plain)
  FROM stream s WHERE (s.tenant_id, s.session_id) > (p_after_tenant, p_after) ORDER BY s.tenant_id, s.session_id LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION find_plain_sessions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_plain_sessions TO verbatim_app;
