-- As expired_waits, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION reachable_expired_waits(p_wait_ms int, p_idle_ms float8, p_limit bigint) RETURNS TABLE (tenant_id uuid, session_id uuid, turn_id uuid, updated_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  page text := format('ORDER BY updated_at LIMIT %L', p_limit);
BEGIN
  RETURN QUERY SELECT s.tenant_id, s.session_id, s.turn_id, s.updated_at
  FROM reachable_rows(p_wait_ms, 'session', format(
      'SELECT s.tenant_id, s.session_id, s.turn_id, s.updated_at FROM %%s s WHERE s.status = ''waiting'' AND s.updated_at < %L::timestamptz
         AND NOT EXISTS (SELECT FROM {session} h WHERE h.tenant_id = s.tenant_id AND h.parent_id = s.session_id AND h.parent_turn_id = s.turn_id AND h.helper_turn_id IS NOT NULL) %s',
      statement_timestamp() - p_idle_ms * interval '1 millisecond', page), page) f,
    jsonb_to_record(f) AS s(tenant_id uuid, session_id uuid, turn_id uuid, updated_at timestamptz)
  ORDER BY s.updated_at LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION reachable_expired_waits FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reachable_expired_waits TO verbatim_app;
