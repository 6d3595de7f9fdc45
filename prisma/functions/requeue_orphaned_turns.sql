-- Adds a job for each orphaned turn: a running turn without a job whose session has not changed for p_idle_ms by the clock
-- of the database. Oldest first, at most p_limit. Returns the number of jobs added. The job has the name of the turn's current
-- segment, so that a queue that still holds it does not take a second one.
CREATE OR REPLACE FUNCTION requeue_orphaned_turns(p_idle_ms float8, p_limit int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  requeued int;
BEGIN
  INSERT INTO outbox (tenant_id, turn_id, queue, job_id, payload)
  SELECT s.tenant_id, s.turn_id, 'turns', s.turn_id || CASE segment.type WHEN 'turn.resumed' THEN '.' || segment.seq ELSE '' END,
    jsonb_build_object('tenantId', s.tenant_id, 'sessionId', s.session_id, 'turnId', s.turn_id)
  FROM session s LEFT JOIN LATERAL (
    SELECT e.type, e.seq FROM event e WHERE e.tenant_id = s.tenant_id AND e.session_id = s.session_id AND e.type IN ('turn.started', 'turn.resumed') ORDER BY e.seq DESC LIMIT 1
  ) segment ON true
  WHERE s.status = 'running' AND s.updated_at < statement_timestamp() - p_idle_ms * interval '1 millisecond'
    AND NOT EXISTS (SELECT FROM outbox o WHERE o.tenant_id = s.tenant_id AND o.turn_id = s.turn_id)
  ORDER BY s.updated_at LIMIT p_limit
  ON CONFLICT (tenant_id, job_id) DO NOTHING;
  GET DIAGNOSTICS requeued = ROW_COUNT;
  RETURN requeued;
END $$;

REVOKE ALL ON FUNCTION requeue_orphaned_turns FROM PUBLIC;
GRANT EXECUTE ON FUNCTION requeue_orphaned_turns TO verbatim_app;
