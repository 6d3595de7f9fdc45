-- Locks the leases of these tenants until the end of the transaction. One of 64 locks per tenant, in ascending order: a caller with
-- many tenants takes few locks, and two callers cannot wait for each other. Tenants that share a lock only wait for each other.
CREATE OR REPLACE FUNCTION lock_leases(p_tenants uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  bucket int;
BEGIN
  FOR bucket IN SELECT DISTINCT hashtext(t::text) & 63 FROM unnest(p_tenants) AS t ORDER BY 1 LOOP
    PERFORM pg_advisory_xact_lock(8150315, bucket); -- the first number is this function's own
  END LOOP;
END $$;
