-- As read_backlog, while a node of a distributed database is away: of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION read_reachable_backlog(p_wait_ms int) RETURNS TABLE (jobs int, oldest float8, prompts int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT b.jobs, coalesce(greatest(extract(epoch FROM clock_timestamp()) - b.oldest, 0), 0)::float8, p.prompts
  FROM (SELECT sum(split_part(a.answer, ' ', 1)::int)::int AS jobs, min(nullif(split_part(a.answer, ' ', 2), '')::float8) AS oldest
      FROM ask_nodes(p_wait_ms, 'outbox', 'SELECT count(*) AS jobs, min(o.not_before) AS oldest FROM %s o WHERE NOT o.leased',
        $sql$SELECT coalesce(sum(t.jobs), 0) || ' ' || coalesce(extract(epoch FROM min(t.oldest))::text, '') FROM (%s) t$sql$) a WHERE a.is_up) b,
    (SELECT coalesce(sum(a.answer::int), 0)::int AS prompts
      FROM ask_nodes(p_wait_ms, 'session', 'SELECT sum(s.queue_length) AS prompts FROM %s s WHERE s.status = ''running''', 'SELECT coalesce(sum(t.prompts), 0) FROM (%s) t') a WHERE a.is_up) p;
END $$;

REVOKE ALL ON FUNCTION read_reachable_backlog FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_reachable_backlog TO verbatim_app;
