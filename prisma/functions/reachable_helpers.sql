-- As open_helpers, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION reachable_helpers(p_wait_ms int, p_limit bigint, p_runs boolean, p_after_tenant uuid, p_after_session uuid)
RETURNS TABLE (tenant_id uuid, session_id uuid, parent_id uuid, runs boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  page text := format('ORDER BY runs, tenant_id, session_id LIMIT %L', p_limit);
BEGIN
  RETURN QUERY SELECT h.tenant_id, h.session_id, h.parent_id, h.runs
  FROM reachable_rows(p_wait_ms, 'session', format(
      'SELECT h.tenant_id, h.session_id, h.parent_id, h.turn_id IS NOT DISTINCT FROM h.helper_turn_id AS runs FROM %%s h LEFT JOIN {session} p ON p.tenant_id = h.tenant_id AND p.session_id = h.parent_id
       WHERE h.helper_turn_id IS NOT NULL
         AND (p.turn_id IS DISTINCT FROM h.parent_turn_id OR (p.status = ''waiting'' AND h.turn_id IS DISTINCT FROM h.helper_turn_id))
         AND (%L::uuid IS NULL OR (h.turn_id IS NOT DISTINCT FROM h.helper_turn_id, h.tenant_id, h.session_id) > (%L::boolean, %L::uuid, %1$L::uuid)) %4$s',
      p_after_session, p_runs, p_after_tenant, page), page) f,
    jsonb_to_record(f) AS h(tenant_id uuid, session_id uuid, parent_id uuid, runs boolean)
  ORDER BY h.runs, h.tenant_id, h.session_id LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION reachable_helpers FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reachable_helpers TO verbatim_app;
