-- As unfinished_erasures, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION reachable_unfinished_erasures(p_wait_ms int, p_idle_ms float8, p_limit bigint, p_part int) RETURNS TABLE (tenant_id uuid, session_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  page text := format('ORDER BY updated_at LIMIT %L', p_limit);
BEGIN
  RETURN QUERY SELECT e.tenant_id, e.session_id
  FROM reachable_rows(p_wait_ms, 'erased_session', format(
      'SELECT s.tenant_id, s.session_id, e.updated_at FROM %%s e JOIN {session} s USING (tenant_id, session_id)
       WHERE NOT e.is_complete AND e.updated_at < %L::timestamptz AND (%L::int IS NULL OR public.erasure_part(e.session_id) = %2$L::int)
         AND NOT EXISTS (SELECT FROM {legal_hold} h WHERE h.tenant_id = s.tenant_id AND h.session_id = s.session_id) %3$s',
      statement_timestamp() - p_idle_ms * interval '1 millisecond', p_part, page), page) f,
    jsonb_to_record(f) AS e(tenant_id uuid, session_id uuid, updated_at timestamptz)
  ORDER BY e.updated_at LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION reachable_unfinished_erasures FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reachable_unfinished_erasures TO verbatim_app;
