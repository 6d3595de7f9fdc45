-- Work stays in the outbox until it is done, and is let out so that no tenant keeps another waiting: of each tenant only so
-- many jobs are out at a time, and whoever has the fewest out comes first.
ALTER TABLE outbox
  ADD COLUMN tenant_id uuid    NOT NULL GENERATED ALWAYS AS ((payload->>'tenantId')::uuid) STORED,
  ADD COLUMN turn_id   uuid    NOT NULL GENERATED ALWAYS AS ((payload->>'turnId')::uuid) STORED,
  ADD COLUMN is_out    boolean NOT NULL DEFAULT false; -- the queue has it; from `not_before` on it is handed over again, in case the queue lost it

DROP INDEX outbox_due;
CREATE INDEX outbox_waiting ON outbox (tenant_id, outbox_id) WHERE NOT is_out;
CREATE INDEX outbox_out ON outbox (tenant_id) WHERE is_out;
CREATE INDEX outbox_overdue ON outbox (not_before) WHERE is_out;

-- In all of this, `>=` and an order by two columns where `=` would say the same: so only the index that has this order will do, and
-- no plan walks past the jobs of others to find one tenant's.

-- Lets jobs out: up to p_limit, and of a tenant never more than p_per_tenant at a time. First those that were let out p_lease_ms
-- ago or earlier and have not been reported as done.
CREATE FUNCTION let_out_jobs(p_limit int, p_per_tenant int, p_lease_ms float8)
RETURNS TABLE (queue text, id text, payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  due timestamptz(3) := clock_timestamp() + p_lease_ms * interval '1 millisecond';
BEGIN
  -- A crash of the server may take this back, which only means that it is done again: nobody need wait for the disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- One at a time, or two could each let out a tenant's last free place.
  PERFORM pg_advisory_xact_lock(8150313);
  RETURN QUERY
    WITH RECURSIVE tenant_waiting AS ( -- a step per tenant, however many jobs it has
      (SELECT o.tenant_id FROM outbox o WHERE NOT o.is_out ORDER BY o.tenant_id LIMIT 1)
      UNION ALL
      SELECT (SELECT o.tenant_id FROM outbox o WHERE NOT o.is_out AND o.tenant_id > t.tenant_id ORDER BY o.tenant_id LIMIT 1)
      FROM tenant_waiting t WHERE t.tenant_id IS NOT NULL
    ), chosen AS (
      (SELECT o.outbox_id, 0 AS place FROM outbox o WHERE o.is_out AND o.not_before <= clock_timestamp() ORDER BY o.not_before LIMIT p_limit)
      UNION ALL
      (SELECT w.outbox_id, (busy.jobs + row_number() OVER (PARTITION BY t.tenant_id ORDER BY w.outbox_id))::int AS place
       FROM tenant_waiting t,
         LATERAL (SELECT count(*) AS jobs FROM (SELECT FROM outbox o WHERE o.is_out AND o.tenant_id = t.tenant_id LIMIT p_per_tenant) taken) busy,
         LATERAL (SELECT o.tenant_id, o.outbox_id FROM outbox o WHERE NOT o.is_out AND o.tenant_id >= t.tenant_id
                  ORDER BY o.tenant_id, o.outbox_id LIMIT least(p_per_tenant - busy.jobs, p_limit)) w
       WHERE w.tenant_id = t.tenant_id)
      ORDER BY place, outbox_id LIMIT p_limit
    ), let_out AS (
      UPDATE outbox o SET is_out = true, not_before = due FROM chosen c WHERE o.outbox_id = c.outbox_id
      RETURNING o.queue, o.job_id, o.payload, c.place, o.outbox_id
    )
    SELECT l.queue, l.job_id, l.payload FROM let_out l ORDER BY l.place, l.outbox_id;
END $$;

-- These jobs are done. True when work of the same tenants waits for the places that are free now.
CREATE FUNCTION finish_jobs(p_ids text[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  tenants uuid[];
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true); -- taken back by a crash, the jobs are delivered once more and find nothing to do
  WITH gone AS (DELETE FROM outbox o WHERE o.job_id = ANY (p_ids) RETURNING o.tenant_id)
  SELECT array_agg(DISTINCT g.tenant_id) INTO tenants FROM gone g;
  RETURN EXISTS (SELECT FROM unnest(tenants) AS t(tenant_id)
    WHERE t.tenant_id = (SELECT o.tenant_id FROM outbox o WHERE NOT o.is_out AND o.tenant_id >= t.tenant_id ORDER BY o.tenant_id, o.outbox_id LIMIT 1));
END $$;

-- The queue may have lost what it held: everything that is out is due again.
CREATE FUNCTION expect_jobs_again() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE outbox o SET not_before = clock_timestamp() WHERE o.is_out AND o.not_before > clock_timestamp();
END $$;

-- The last net: running turns that have made no step since p_before and for which no job is left are given one. How many.
CREATE FUNCTION recall_turns(p_before timestamptz, p_limit int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  recalled int;
BEGIN
  INSERT INTO outbox (queue, job_id, payload)
  SELECT 'turns', s.turn_id || '.recalled', jsonb_build_object('tenantId', s.tenant_id, 'sessionId', s.session_id, 'turnId', s.turn_id)
  FROM session s
  WHERE s.status = 'running' AND s.updated_at < p_before AND NOT EXISTS (SELECT FROM outbox o WHERE o.turn_id = s.turn_id)
  ORDER BY s.updated_at LIMIT p_limit
  ON CONFLICT (job_id) DO NOTHING;
  GET DIAGNOSTICS recalled = ROW_COUNT;
  RETURN recalled;
END $$;

REVOKE UPDATE, DELETE ON outbox FROM verbatim_app;
REVOKE UPDATE (not_before) ON outbox FROM verbatim_app;
REVOKE ALL ON FUNCTION let_out_jobs, finish_jobs, expect_jobs_again, recall_turns FROM PUBLIC;
GRANT EXECUTE ON FUNCTION let_out_jobs, finish_jobs, expect_jobs_again, recall_turns TO verbatim_app;
