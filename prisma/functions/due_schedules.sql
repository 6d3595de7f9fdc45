-- Schedules of all tenants that are due, the one that is due longest first, and the time of the server. p_after, p_after_id: when the last one of the page before is due, and its id; null: the first page.
-- statement_timestamp: an index is not searched for a time that changes during the search.
CREATE OR REPLACE FUNCTION due_schedules(p_limit bigint, p_after timestamptz, p_after_id uuid)
RETURNS TABLE (tenant_id uuid, session_id uuid, schedule_id uuid, next_run_at timestamptz, now timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT s.tenant_id, s.session_id, s.schedule_id, s.next_run_at, statement_timestamp() FROM session_schedule s
  WHERE s.next_run_at <= statement_timestamp()
    AND (s.next_run_at, s.schedule_id) > (coalesce(p_after, '-infinity'), coalesce(p_after_id, '00000000-0000-0000-0000-000000000000'))
  ORDER BY s.next_run_at, s.schedule_id LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION due_schedules FROM PUBLIC;
GRANT EXECUTE ON FUNCTION due_schedules TO verbatim_app;
