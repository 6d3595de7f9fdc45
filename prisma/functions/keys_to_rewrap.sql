-- Data keys of all tenants that another key than p_current wraps, after one, in the order of tenants and ids.
CREATE OR REPLACE FUNCTION keys_to_rewrap(p_current text, p_after_tenant uuid, p_after uuid, p_limit int) RETURNS TABLE (tenant_id uuid, id uuid, key_id text, wrapped bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT d.tenant_id, d.id, d.key_id, d.wrapped FROM data_key d WHERE d.key_id <> p_current AND (d.tenant_id, d.id) > (p_after_tenant, p_after) ORDER BY d.tenant_id, d.id LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION keys_to_rewrap FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keys_to_rewrap TO verbatim_app;
