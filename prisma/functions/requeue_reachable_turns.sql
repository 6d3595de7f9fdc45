-- As requeue_orphaned_turns, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION requeue_reachable_turns(p_wait_ms int, p_idle_ms float8, p_limit int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  page     text := format('ORDER BY updated_at LIMIT %L', p_limit);
  orphan   record;
  added    int;
  requeued int := 0;
BEGIN
  FOR orphan IN
    SELECT s.* FROM reachable_rows(p_wait_ms, 'session', format(
        'SELECT s.tenant_id, s.session_id, s.turn_id, s.updated_at, segment.type, segment.seq
         FROM %%s s LEFT JOIN LATERAL (
           SELECT e.type, e.seq FROM {event} e WHERE e.tenant_id = s.tenant_id AND e.session_id = s.session_id AND e.type IN (''turn.started'', ''turn.resumed'') ORDER BY e.seq DESC LIMIT 1
         ) segment ON true
         WHERE s.status = ''running'' AND s.updated_at < %L::timestamptz AND NOT EXISTS (SELECT FROM {outbox} o WHERE o.tenant_id = s.tenant_id AND o.turn_id = s.turn_id) %s',
        statement_timestamp() - p_idle_ms * interval '1 millisecond', page), page) f,
      jsonb_to_record(f) AS s(tenant_id uuid, session_id uuid, turn_id uuid, updated_at timestamptz, type text, seq bigint)
    ORDER BY s.updated_at LIMIT p_limit
  LOOP
    INSERT INTO outbox (tenant_id, turn_id, queue, job_id, payload)
    VALUES (orphan.tenant_id, orphan.turn_id, 'turns', orphan.turn_id || CASE orphan.type WHEN 'turn.resumed' THEN '.' || orphan.seq ELSE '' END,
      jsonb_build_object('tenantId', orphan.tenant_id, 'sessionId', orphan.session_id, 'turnId', orphan.turn_id))
    ON CONFLICT (tenant_id, job_id) DO NOTHING;
    GET DIAGNOSTICS added = ROW_COUNT;
    requeued := requeued + added;
  END LOOP;
  RETURN requeued;
END $$;

REVOKE ALL ON FUNCTION requeue_reachable_turns FROM PUBLIC;
GRANT EXECUTE ON FUNCTION requeue_reachable_turns TO verbatim_app;
