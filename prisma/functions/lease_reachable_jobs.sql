-- As lease_jobs, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms. The jobs of the others stay as they are, for the calls after it is back. Each node says which
-- of its tenants have jobs to lease; what follows is of one tenant each, and so on its node. A node that goes away meanwhile fails the call, which leases nothing then.
CREATE OR REPLACE FUNCTION lease_reachable_jobs(p_wait_ms int, p_limit int, p_per_tenant int, p_lease_ms float8)
RETURNS TABLE (queue text, id text, payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  found_at timestamptz := clock_timestamp(); -- of the coordinator, for every node
  pending  uuid[];
  tenants  uuid[]; -- of expired leases, in parallel
  expired  bigint[];
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  -- Not that of lease_jobs: a call of it that a silent node has stopped keeps its lock until the node is back, also when it was cancelled.
  PERFORM pg_advisory_xact_lock(8150318); -- this function's own key
  SELECT coalesce(array_agg(DISTINCT f.tenant_id) FILTER (WHERE f.outbox_id IS NULL), '{}'),
      coalesce((array_agg(f.tenant_id ORDER BY f.not_before, f.outbox_id) FILTER (WHERE f.outbox_id IS NOT NULL))[:p_limit], '{}'),
      coalesce((array_agg(f.outbox_id ORDER BY f.not_before, f.outbox_id) FILTER (WHERE f.outbox_id IS NOT NULL))[:p_limit], '{}') INTO pending, tenants, expired
    FROM reachable_rows(p_wait_ms, 'outbox', format(
        'SELECT DISTINCT o.tenant_id, NULL::bigint AS outbox_id, NULL::timestamptz AS not_before FROM %%s o WHERE NOT o.leased
         UNION ALL (SELECT o.tenant_id, o.outbox_id, o.not_before FROM %%1$s o WHERE o.leased AND o.not_before <= %L::timestamptz ORDER BY o.not_before LIMIT %L)', found_at, p_limit), '') r,
      jsonb_to_record(r) AS f(tenant_id uuid, outbox_id bigint, not_before timestamptz);
  RETURN QUERY SELECT * FROM lease_jobs_of(pending, tenants, expired, found_at, p_limit, p_per_tenant, p_lease_ms);
END $$;

REVOKE ALL ON FUNCTION lease_reachable_jobs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lease_reachable_jobs TO verbatim_app;
