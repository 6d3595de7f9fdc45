-- As leased_turns, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION reachable_leased_turns(p_wait_ms int, p_limit int) RETURNS TABLE (id text, payload jsonb, holder uuid, lease_end timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  page text := format('ORDER BY outbox_id LIMIT %L', p_limit);
BEGIN
  RETURN QUERY SELECT o.job_id, o.payload, o.holder, o.not_before
  FROM reachable_rows(p_wait_ms, 'outbox', format('SELECT o.outbox_id, o.job_id, o.payload, o.holder, o.not_before FROM %%s o WHERE o.leased AND o.holder IS NOT NULL %s', page), page) f,
    jsonb_populate_record(NULL::outbox, f) o
  ORDER BY o.outbox_id LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION reachable_leased_turns FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reachable_leased_turns TO verbatim_app;
