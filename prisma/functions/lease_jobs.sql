-- Leases up to p_limit jobs for p_lease_ms, so that the caller can hand them to the queue: first the jobs whose lease has
-- expired, then pending jobs, of the tenants with the fewest leased jobs first. A tenant never holds more than p_per_tenant
-- leases at a time.
--
-- The cost must not depend on how many jobs are pending. Some conditions below use >= and an ORDER BY on two columns where
-- = would select the same rows: only the index with that order then fits, and no plan reads the jobs of other tenants to
-- find those of one.
CREATE OR REPLACE FUNCTION lease_jobs(p_limit int, p_per_tenant int, p_lease_ms float8)
RETURNS TABLE (queue text, id text, payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  tenants   uuid[]; -- with pending jobs
  lease_end timestamptz(3) := clock_timestamp() + p_lease_ms * interval '1 millisecond';
  chosen    record;
  free      int;
BEGIN
  -- If a server crash undoes this commit, the jobs are only leased again: no need to wait for the WAL flush.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- One caller at a time: each chooses from all pending jobs. The number is this function's own key.
  PERFORM pg_advisory_xact_lock(8150313);
  tenants := ARRAY(
    WITH RECURSIVE pending_tenant AS ( -- one index step per tenant, however many jobs it has
      (SELECT o.tenant_id FROM outbox o WHERE NOT o.leased ORDER BY o.tenant_id LIMIT 1)
      UNION ALL
      SELECT (SELECT o.tenant_id FROM outbox o WHERE NOT o.leased AND o.tenant_id > t.tenant_id ORDER BY o.tenant_id LIMIT 1)
      FROM pending_tenant t WHERE t.tenant_id IS NOT NULL
    )
    SELECT t.tenant_id FROM pending_tenant t WHERE t.tenant_id IS NOT NULL);
  FOR chosen IN
    (SELECT o.tenant_id, o.outbox_id, 0 AS rank, o.place FROM outbox o WHERE o.leased AND o.not_before <= clock_timestamp() ORDER BY o.not_before LIMIT p_limit)
    UNION ALL
    (SELECT pending.tenant_id, pending.outbox_id, (held.jobs + row_number() OVER (PARTITION BY t.tenant_id ORDER BY pending.outbox_id))::int AS rank, NULL
     FROM unnest(tenants) AS t(tenant_id),
       LATERAL (SELECT count(*) AS jobs FROM (SELECT FROM outbox o WHERE o.leased AND o.tenant_id = t.tenant_id LIMIT p_per_tenant) lease) held,
       LATERAL (SELECT o.tenant_id, o.outbox_id FROM outbox o WHERE NOT o.leased AND o.tenant_id >= t.tenant_id
                ORDER BY o.tenant_id, o.outbox_id LIMIT least(p_per_tenant - held.jobs, p_limit)) pending
     WHERE pending.tenant_id = t.tenant_id)
    ORDER BY rank, outbox_id LIMIT p_limit
  LOOP
    -- An append may have taken the place meanwhile, or be taking it.
    free := coalesce(chosen.place, take_place(chosen.tenant_id, p_per_tenant));
    CONTINUE WHEN free IS NULL;
    RETURN QUERY UPDATE outbox o SET leased = true, place = free, not_before = lease_end, holder = NULL
      WHERE o.tenant_id = chosen.tenant_id AND o.outbox_id = chosen.outbox_id
      RETURNING o.queue, o.job_id, o.payload;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION lease_jobs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lease_jobs TO verbatim_app;
