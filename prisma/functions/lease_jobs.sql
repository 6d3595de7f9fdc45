-- Leases up to p_limit jobs for p_lease_ms, so that the caller can hand them to the queue: first the jobs whose lease has
-- expired, then pending jobs, of the tenants with the fewest leased jobs first. A tenant never holds more than p_per_tenant
-- leases at a time.
--
-- The cost must not depend on how many jobs are pending: a look at the next tenant, and the jobs of one tenant in their order, are each a step in the index outbox_pending. A statement for each tenant, since a
-- distributed database joins no rows of one with those of another.
CREATE OR REPLACE FUNCTION lease_jobs(p_limit int, p_per_tenant int, p_lease_ms float8)
RETURNS TABLE (queue text, id text, payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  lease_end timestamptz(3) := clock_timestamp() + p_lease_ms * interval '1 millisecond';
  found_at  timestamptz := clock_timestamp();
  pending   uuid;
  held      int;
  jobs      bigint[];
  tenants   uuid[] := '{}'; -- of the jobs that may be leased, in parallel
  ids       bigint[] := '{}';
  ranks     int[] := '{}';
  chosen    record;
  free      int;
BEGIN
  -- If a server crash undoes this commit, the jobs are only leased again: no need to wait for the WAL flush.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- One caller at a time: each chooses from all pending jobs. The number is this function's own key.
  PERFORM pg_advisory_xact_lock(8150313);
  SELECT o.tenant_id INTO pending FROM outbox o WHERE NOT o.leased ORDER BY o.tenant_id LIMIT 1;
  WHILE pending IS NOT NULL LOOP
    SELECT count(*) INTO held FROM (SELECT FROM outbox o WHERE o.leased AND o.tenant_id = pending LIMIT p_per_tenant) lease;
    jobs := ARRAY(SELECT o.outbox_id FROM outbox o WHERE NOT o.leased AND o.tenant_id = pending ORDER BY o.tenant_id, o.outbox_id LIMIT greatest(least(p_per_tenant - held, p_limit), 0));
    tenants := tenants || array_fill(pending, ARRAY[cardinality(jobs)]);
    ids := ids || jobs;
    ranks := ranks || ARRAY(SELECT held + n FROM generate_series(1, cardinality(jobs)) AS n);
    SELECT o.tenant_id INTO pending FROM outbox o WHERE NOT o.leased AND o.tenant_id > pending ORDER BY o.tenant_id LIMIT 1;
  END LOOP;
  FOR chosen IN
    SELECT * FROM (SELECT o.tenant_id, o.outbox_id, 0 AS rank, o.place FROM outbox o WHERE o.leased AND o.not_before <= found_at ORDER BY o.not_before LIMIT p_limit) AS expired
    UNION ALL
    SELECT p.tenant_id, p.outbox_id, p.rank, NULL FROM unnest(tenants, ids, ranks) AS p(tenant_id, outbox_id, rank)
    ORDER BY rank, outbox_id LIMIT p_limit
  LOOP
    -- An append may have taken the place meanwhile, or be taking it.
    free := coalesce(chosen.place, take_place(chosen.tenant_id, p_per_tenant));
    CONTINUE WHEN free IS NULL;
    RETURN QUERY UPDATE outbox o SET leased = true, place = free, not_before = lease_end, holder = NULL
      WHERE o.tenant_id = chosen.tenant_id AND o.outbox_id = chosen.outbox_id AND (NOT o.leased OR o.not_before <= found_at) -- lease_reachable_jobs may have leased it meanwhile
      RETURNING o.queue, o.job_id, o.payload;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION lease_jobs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lease_jobs TO verbatim_app;
