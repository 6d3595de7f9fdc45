-- As lease_jobs, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms. The jobs of the others stay as they are, for the calls after it is back. Each node says which
-- of its tenants have jobs to lease; what follows is of one tenant each, and so on its node. A node that goes away meanwhile fails the call, which leases nothing then.
CREATE OR REPLACE FUNCTION lease_reachable_jobs(p_wait_ms int, p_limit int, p_per_tenant int, p_lease_ms float8)
RETURNS TABLE (queue text, id text, payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  lease_end timestamptz(3) := clock_timestamp() + p_lease_ms * interval '1 millisecond';
  found_at  timestamptz := clock_timestamp(); -- of the coordinator, for every node
  pending   uuid;
  held      int;
  expired   bigint[];
  jobs      bigint[];
  tenants   uuid[] := '{}'; -- of the jobs that may be leased, in parallel
  ids       bigint[] := '{}';
  ranks     int[] := '{}';
  chosen    record;
  free      int;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  -- Not that of lease_jobs: a call of it that a silent node has stopped keeps its lock until the node is back, also when it was cancelled.
  PERFORM pg_advisory_xact_lock(8150318); -- this function's own key
  FOR pending IN
    SELECT unnest(a.answer::uuid[]) FROM ask_nodes(p_wait_ms, 'outbox',
      format('SELECT o.tenant_id FROM %%s o WHERE NOT o.leased OR o.not_before <= %L::timestamptz', found_at), 'SELECT coalesce(array_agg(DISTINCT t.tenant_id), ''{}'') FROM (%s) t') a WHERE a.is_up ORDER BY 1
  LOOP
    expired := ARRAY(SELECT o.outbox_id FROM outbox o WHERE o.leased AND o.tenant_id = pending AND o.not_before <= found_at ORDER BY o.not_before LIMIT p_limit);
    SELECT count(*) INTO held FROM (SELECT FROM outbox o WHERE o.leased AND o.tenant_id = pending LIMIT p_per_tenant) lease;
    jobs := ARRAY(SELECT o.outbox_id FROM outbox o WHERE NOT o.leased AND o.tenant_id = pending ORDER BY o.tenant_id, o.outbox_id LIMIT greatest(least(p_per_tenant - held, p_limit), 0));
    tenants := tenants || array_fill(pending, ARRAY[cardinality(expired) + cardinality(jobs)]);
    ids := ids || expired || jobs;
    ranks := ranks || array_fill(0, ARRAY[cardinality(expired)]) || ARRAY(SELECT held + n FROM generate_series(1, cardinality(jobs)) AS n);
  END LOOP;
  FOR chosen IN
    SELECT p.* FROM unnest(tenants, ids, ranks) AS p(tenant_id, outbox_id, rank) ORDER BY p.rank, p.outbox_id LIMIT p_limit
  LOOP
    -- A job with an expired lease keeps its place. An append may have taken that of another meanwhile, or be taking it.
    free := NULL;
    IF chosen.rank > 0 THEN
      free := take_place(chosen.tenant_id, p_per_tenant);
      CONTINUE WHEN free IS NULL;
    END IF;
    RETURN QUERY UPDATE outbox o SET leased = true, place = coalesce(free, o.place), not_before = lease_end, holder = NULL
      WHERE o.tenant_id = chosen.tenant_id AND o.outbox_id = chosen.outbox_id AND (NOT o.leased OR o.not_before <= found_at) -- lease_jobs may have leased it meanwhile
      RETURNING o.queue, o.job_id, o.payload;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION lease_reachable_jobs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lease_reachable_jobs TO verbatim_app;
