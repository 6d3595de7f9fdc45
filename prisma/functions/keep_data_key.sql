-- Stores the data key of a session in the commit of the append that first uses it: called with its outcome, does nothing unless it appended.
CREATE OR REPLACE FUNCTION keep_data_key(
  p_outcome text, p_tenant uuid, p_id uuid, p_key_id text, p_wrapped bytea
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  INSERT INTO data_key (id, tenant_id, key_id, wrapped) VALUES (p_id, p_tenant, p_key_id, p_wrapped);
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION keep_data_key FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keep_data_key TO verbatim_app;
