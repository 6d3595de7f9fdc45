-- Takes one of the places that a tenant has for leased jobs, from 1 to p_per_tenant, until the end of the transaction, and returns its number; null: all are taken.
-- Each leased job of a tenant has a place of its own, so no more can be leased than there are places, and nobody waits to count them: a place that another transaction
-- is taking is locked, and passed over.
CREATE OR REPLACE FUNCTION take_place(p_tenant uuid, p_per_tenant int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  taken     int[] := ARRAY(SELECT o.place FROM outbox o WHERE o.tenant_id = p_tenant AND o.leased LIMIT p_per_tenant);
  held      int := cardinality(taken);
  candidate int;
BEGIN
  IF held >= p_per_tenant THEN
    RETURN NULL;
  END IF;
  -- First some at random, so that transactions which begin together do not all try the same ones. Then all of a range in which 256 are free: more than there are transactions
  -- that take one at the same time.
  FOR candidate IN
    SELECT 1 + floor(random() * p_per_tenant)::int FROM generate_series(1, 8)
    UNION ALL
    SELECT generate_series(1, least(p_per_tenant, held + 256))
  LOOP
    CONTINUE WHEN candidate = ANY (taken);
    IF pg_try_advisory_xact_lock(8150315, uuid_hash(p_tenant) # candidate) THEN -- the first number is this function's own
      -- A statement of its own, to see what was committed before the lock: after the commit that takes the place, the lock is free again.
      IF NOT EXISTS (SELECT FROM outbox o WHERE o.tenant_id = p_tenant AND o.place = candidate AND o.leased) THEN
        RETURN candidate;
      END IF;
    END IF;
  END LOOP;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION take_place FROM PUBLIC;
