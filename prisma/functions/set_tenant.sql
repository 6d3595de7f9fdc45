-- Sets the tenant of this transaction, a block: see current_tenant. A distributed database hands SET LOCAL to its nodes, and not what set_config sets.
CREATE OR REPLACE FUNCTION set_tenant(p_tenant uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SET LOCAL verbatim.tenant = %L', p_tenant);
END $$;

REVOKE ALL ON FUNCTION set_tenant FROM PUBLIC;
GRANT EXECUTE ON FUNCTION set_tenant TO verbatim_app;
