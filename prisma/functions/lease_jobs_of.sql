-- What lease_jobs and lease_reachable_jobs do with the jobs that they have found: leases up to p_limit of them for p_lease_ms, first those with an expired lease (p_expired_tenants and p_expired, in parallel), then
-- pending jobs of the tenants p_pending. p_found_at: leases that end later have not expired.
--
-- A statement for each tenant, since a distributed database joins no rows of one with those of another. Its jobs in their order are a step in the index outbox_pending, however many it has.
CREATE OR REPLACE FUNCTION lease_jobs_of(
  p_pending uuid[], p_expired_tenants uuid[], p_expired bigint[], p_found_at timestamptz, p_limit int, p_per_tenant int, p_lease_ms float8
) RETURNS TABLE (queue text, id text, payload jsonb)
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  lease_end timestamptz(3) := p_found_at + p_lease_ms * interval '1 millisecond';
  pending   uuid;
  held      int;
  jobs      bigint[];
  tenants   uuid[] := p_expired_tenants; -- of the jobs that may be leased, in parallel
  ids       bigint[] := p_expired;
  ranks     int[] := array_fill(0, ARRAY[cardinality(p_expired)]);
  chosen    record;
  free      int;
BEGIN
  FOREACH pending IN ARRAY p_pending LOOP
    SELECT count(*) INTO held FROM (SELECT FROM outbox o WHERE o.leased AND o.tenant_id = pending LIMIT p_per_tenant) lease;
    jobs := ARRAY(SELECT o.outbox_id FROM outbox o WHERE NOT o.leased AND o.tenant_id = pending ORDER BY o.tenant_id, o.outbox_id LIMIT greatest(least(p_per_tenant - held, p_limit), 0));
    tenants := tenants || array_fill(pending, ARRAY[cardinality(jobs)]);
    ids := ids || jobs;
    ranks := ranks || ARRAY(SELECT held + n FROM generate_series(1, cardinality(jobs)) AS n);
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
      WHERE o.tenant_id = chosen.tenant_id AND o.outbox_id = chosen.outbox_id AND (NOT o.leased OR o.not_before <= p_found_at) -- the other of the two may have leased it meanwhile
      RETURNING o.queue, o.job_id, o.payload;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION lease_jobs_of FROM PUBLIC;
