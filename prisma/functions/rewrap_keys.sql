-- Replaces how data keys are wrapped; the arrays are parallel. A key that was deleted or rewrapped since it was read is left alone. Returns the ids of the others.
CREATE OR REPLACE FUNCTION rewrap_keys(p_tenants uuid[], p_ids uuid[], p_old bytea[], p_key_ids text[], p_wrapped bytea[]) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  n record;
BEGIN
  FOR n IN SELECT * FROM unnest(p_tenants, p_ids, p_old, p_key_ids, p_wrapped) AS k(tenant_id, id, old, key_id, wrapped) LOOP
    RETURN QUERY UPDATE data_key d SET key_id = n.key_id, wrapped = n.wrapped WHERE d.tenant_id = n.tenant_id AND d.id = n.id AND d.wrapped = n.old RETURNING d.id;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION rewrap_keys FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rewrap_keys TO verbatim_app;
