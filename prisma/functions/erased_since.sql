-- Of sessions of any tenant, given as parallel arrays, the places of those with an erasure after the given version. For processes that compare what they keep in memory.
CREATE OR REPLACE FUNCTION erased_since(p_tenants uuid[], p_sessions uuid[], p_versions bigint[]) RETURNS SETOF int
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT DISTINCT k.ordinal::int FROM unnest(p_tenants, p_sessions, p_versions) WITH ORDINALITY AS k(tenant_id, session_id, version, ordinal)
  JOIN event e ON e.tenant_id = k.tenant_id AND e.session_id = k.session_id AND e.seq > k.version AND e.type = 'content.erased';
END $$;

REVOKE ALL ON FUNCTION erased_since FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erased_since TO verbatim_app;
