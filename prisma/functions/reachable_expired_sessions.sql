-- As expired_sessions, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms. It puts no retention off: those that changes have put off are looked at again each time,
-- until the node is back.
CREATE OR REPLACE FUNCTION reachable_expired_sessions(p_wait_ms int, p_limit bigint, p_part int) RETURNS TABLE (tenant_id uuid, session_id uuid, version bigint, late_seconds float8)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  at timestamptz := statement_timestamp();
BEGIN
  RETURN QUERY SELECT d.tenant_id, d.session_id, d.version, extract(epoch FROM at - d.due_at)::float8
  FROM reachable_rows(p_wait_ms, 'session', format($sql$
      WITH kept AS (SELECT t.tenant_id, (t.value::text)::int * interval '1 day' AS age FROM {tenant_setting} t WHERE t.name = 'retentionDays' AND t.value::text <> 'null'),
      candidate AS (
        SELECT s.tenant_id, s.session_id, s.updated_at + k.age AS due_at FROM kept k JOIN %%1$s s ON s.tenant_id = k.tenant_id
        WHERE NOT s.archived AND s.updated_at < %1$L::timestamptz - k.age AND s.status <> 'importing'
        UNION ALL
        SELECT s.tenant_id, s.session_id, s.updated_at + k.age FROM kept k JOIN %%1$s s ON s.tenant_id = k.tenant_id
        WHERE s.archived AND NOT s.is_erased AND s.updated_at < %1$L::timestamptz - k.age AND s.status <> 'importing'
        UNION ALL
        SELECT s.tenant_id, s.session_id, s.updated_at + r.days * interval '1 day' FROM {session_retention} r JOIN %%1$s s USING (tenant_id, session_id)
        WHERE r.not_before <= %1$L::timestamptz AND s.updated_at < %1$L::timestamptz - r.days * interval '1 day' AND NOT s.is_erased AND s.status <> 'importing'
        UNION ALL
        SELECT s.tenant_id, s.session_id, s.updated_at FROM %%1$s s WHERE s.is_orphaned AND NOT s.is_erased),
      due AS (
        SELECT c.* FROM candidate c
        WHERE (%2$L::int IS NULL OR public.erasure_part(c.session_id) = %2$L::int) AND NOT public.is_held(c.tenant_id, c.session_id)
          AND NOT EXISTS (SELECT FROM %%1$s h WHERE h.tenant_id = c.tenant_id AND h.session_id = c.session_id AND h.parent_id IS NOT NULL AND NOT h.is_orphaned)
          AND NOT EXISTS (SELECT FROM {event} f WHERE f.tenant_id = c.tenant_id AND f.type = 'session.forked' AND f.data->>'from' = c.session_id::text
            AND NOT EXISTS (SELECT FROM {erased_session} x WHERE x.tenant_id = f.tenant_id AND x.session_id = f.session_id AND x.is_complete))
        LIMIT %3$s * 2)
      SELECT d.tenant_id, d.session_id, v.version, d.due_at FROM (SELECT tenant_id, session_id, min(due_at) AS due_at FROM due GROUP BY 1, 2 LIMIT %3$s) d
      JOIN {stream} v USING (tenant_id, session_id)$sql$, at, p_part, p_limit), format('LIMIT %L', p_limit)) f,
    jsonb_to_record(f) AS d(tenant_id uuid, session_id uuid, version bigint, due_at timestamptz)
  LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION reachable_expired_sessions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reachable_expired_sessions TO verbatim_app;
