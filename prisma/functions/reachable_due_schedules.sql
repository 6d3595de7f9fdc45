-- As due_schedules, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION reachable_due_schedules(p_wait_ms int, p_limit bigint, p_after timestamptz, p_after_id uuid)
RETURNS TABLE (tenant_id uuid, session_id uuid, schedule_id uuid, next_run_at timestamptz, now timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  page text := format('ORDER BY next_run_at, schedule_id LIMIT %L', p_limit);
BEGIN
  RETURN QUERY SELECT s.tenant_id, s.session_id, s.schedule_id, s.next_run_at, statement_timestamp()
  FROM reachable_rows(p_wait_ms, 'session_schedule', format(
      'SELECT s.tenant_id, s.session_id, s.schedule_id, s.next_run_at FROM %%s s
       WHERE s.next_run_at <= %L::timestamptz AND (s.next_run_at, s.schedule_id) > (%L::timestamptz, %L::uuid) %s',
      statement_timestamp(), coalesce(p_after, '-infinity'), coalesce(p_after_id, '00000000-0000-0000-0000-000000000000'), page), page) f,
    jsonb_populate_record(NULL::session_schedule, f) s
  ORDER BY s.next_run_at, s.schedule_id LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION reachable_due_schedules FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reachable_due_schedules TO verbatim_app;
