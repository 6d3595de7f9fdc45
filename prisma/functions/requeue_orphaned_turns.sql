-- Adds a job for each orphaned turn: a running turn without a job whose session has not changed since p_before. Oldest
-- first, at most p_limit. Returns the number of jobs added.
CREATE OR REPLACE FUNCTION requeue_orphaned_turns(p_before timestamptz, p_limit int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  requeued int;
BEGIN
  INSERT INTO outbox (queue, job_id, payload)
  SELECT 'turns', s.turn_id || '.requeued', jsonb_build_object('tenantId', s.tenant_id, 'sessionId', s.session_id, 'turnId', s.turn_id)
  FROM session s
  WHERE s.status = 'running' AND s.updated_at < p_before AND NOT EXISTS (SELECT FROM outbox o WHERE o.turn_id = s.turn_id)
  ORDER BY s.updated_at LIMIT p_limit
  ON CONFLICT (job_id) DO NOTHING;
  GET DIAGNOSTICS requeued = ROW_COUNT;
  RETURN requeued;
END $$;
