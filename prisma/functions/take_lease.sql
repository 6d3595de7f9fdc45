-- Takes or renews the lease of a task that one process at a time may do, by the clock of the database. Returns the fencing number, which grows
-- with every new holder; null: another process holds the lease. A lease is a day at most.
CREATE OR REPLACE FUNCTION take_lease(p_task text, p_holder uuid, p_lease_ms float8) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  taken bigint;
BEGIN
  -- If a server crash undoes this commit, the lease is only taken again: no need to wait for the WAL flush.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- Without a lock first: the attempts of all other processes end here.
  PERFORM FROM task_lease l WHERE l.task = p_task AND l.holder <> p_holder AND l.ends_at > clock_timestamp();
  IF FOUND THEN
    RETURN NULL;
  END IF;
  INSERT INTO task_lease AS l (task, holder, ends_at, fence)
  VALUES (p_task, p_holder, clock_timestamp() + least(p_lease_ms * interval '1 millisecond', interval '1 day'), 1)
  ON CONFLICT (task) DO UPDATE SET holder = excluded.holder, ends_at = excluded.ends_at, fence = l.fence + (l.holder <> excluded.holder)::int
    WHERE l.holder = excluded.holder OR l.ends_at <= clock_timestamp()
  RETURNING l.fence INTO taken;
  RETURN taken;
END $$;

REVOKE ALL ON FUNCTION take_lease FROM PUBLIC;
GRANT EXECUTE ON FUNCTION take_lease TO verbatim_app;
