-- Fails unless this server is a standby of the given database, on the given timeline, that has replayed all up to `p_lsn`; returns how far it has. A statement that follows in the same
-- transaction sees all that was committed up to there, whatever server a pooler or a balancer has chosen. The timeline of a standby is the one of its last restartpoint, or a later one
-- up to which it must recover: for a while after a failover that is the earlier timeline.
CREATE OR REPLACE FUNCTION require_replayed(p_identity text, p_timeline int, p_lsn pg_lsn) RETURNS pg_lsn LANGUAGE plpgsql AS $$
DECLARE
  replayed pg_lsn := pg_last_wal_replay_lsn();
  timeline int;
BEGIN
  IF NOT pg_is_in_recovery() THEN
    RAISE EXCEPTION 'the server is no standby' USING ERRCODE = 'VB005';
  END IF;
  IF database_identity() IS DISTINCT FROM p_identity THEN
    RAISE EXCEPTION 'the server is a standby of another database' USING ERRCODE = 'VB005';
  END IF;
  SELECT greatest(c.timeline_id, r.min_recovery_end_timeline) INTO timeline FROM pg_control_checkpoint() c, pg_control_recovery() r;
  IF timeline <> p_timeline THEN
    RAISE EXCEPTION 'the server is a standby on timeline %, the primary is on %', timeline, p_timeline USING ERRCODE = 'VB005';
  END IF;
  IF replayed IS NULL OR replayed < p_lsn THEN
    RAISE EXCEPTION 'the standby has replayed up to %, not yet up to %', replayed, p_lsn USING ERRCODE = 'VB006';
  END IF;
  RETURN replayed;
END $$;

REVOKE ALL ON FUNCTION require_replayed FROM PUBLIC;
GRANT EXECUTE ON FUNCTION require_replayed TO verbatim_app;
