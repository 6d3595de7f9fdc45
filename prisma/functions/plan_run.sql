-- Sets when a schedule of a session is due next, or that it is due no more (null), in the commit of the append that says so: called with its outcome.
CREATE OR REPLACE FUNCTION plan_run(p_outcome text, p_tenant uuid, p_session uuid, p_schedule uuid, p_at timestamptz) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  IF p_at IS NULL THEN
    DELETE FROM session_schedule s WHERE s.tenant_id = p_tenant AND s.session_id = p_session AND s.schedule_id = p_schedule;
  ELSE
    INSERT INTO session_schedule (tenant_id, session_id, schedule_id, next_run_at)
    SELECT v.tenant_id, v.session_id, p_schedule, p_at FROM stream v WHERE v.tenant_id = p_tenant AND v.session_id = p_session
    ON CONFLICT (tenant_id, session_id, schedule_id) DO UPDATE SET next_run_at = excluded.next_run_at;
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION plan_run FROM PUBLIC;
GRANT EXECUTE ON FUNCTION plan_run TO verbatim_app;
