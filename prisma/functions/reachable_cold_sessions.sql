-- As cold_sessions, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION reachable_cold_sessions(
  p_wait_ms int, p_idle_ms float8, p_limit bigint, p_after_tenant uuid, p_after_archived boolean, p_after_time timestamptz, p_after uuid
) RETURNS TABLE (tenant_id uuid, archived boolean, updated_at timestamptz, session_id uuid, is_due boolean, late_seconds float8)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  page text := format('ORDER BY tenant_id, archived, updated_at, session_id LIMIT %L', p_limit);
  n    record;
BEGIN
  FOR n IN SELECT s.tenant_id, s.archived, s.updated_at, s.session_id
    FROM reachable_rows(p_wait_ms, 'session', format(
        'SELECT f.tenant_id, l.archived, l.updated_at, l.session_id
         FROM (SELECT t.tenant_id, a.archived FROM {tenant} t CROSS JOIN (VALUES (false), (true)) AS a(archived)
               WHERE %2$L::uuid IS NULL OR (t.tenant_id, a.archived) >= (%2$L::uuid, %3$L::boolean) ORDER BY 1, 2) f
           CROSS JOIN LATERAL (
             SELECT s.archived, s.updated_at, s.session_id FROM %%s s
             WHERE s.tenant_id = f.tenant_id AND s.archived = f.archived AND s.updated_at < %1$L::timestamptz
               AND (s.updated_at, s.session_id) > (
                 CASE WHEN (f.tenant_id, f.archived) = (%2$L::uuid, %3$L::boolean) THEN %4$L::timestamptz ELSE ''-infinity'' END,
                 CASE WHEN (f.tenant_id, f.archived) = (%2$L::uuid, %3$L::boolean) THEN %5$L::uuid ELSE ''00000000-0000-0000-0000-000000000000'' END)
             ORDER BY s.updated_at, s.session_id LIMIT %6$s) l
         LIMIT %6$s',
        statement_timestamp() - p_idle_ms * interval '1 millisecond', p_after_tenant, p_after_archived, p_after_time, p_after, p_limit), page) f,
      jsonb_to_record(f) AS s(tenant_id uuid, archived boolean, updated_at timestamptz, session_id uuid)
    ORDER BY 1, 2, 3, 4 LIMIT p_limit
  LOOP
    RETURN QUERY SELECT n.tenant_id, n.archived, n.updated_at, n.session_id, is_cold(n.tenant_id, n.session_id, p_idle_ms),
      extract(epoch FROM statement_timestamp() - n.updated_at)::float8 - p_idle_ms / 1000;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION reachable_cold_sessions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reachable_cold_sessions TO verbatim_app;
