-- The object of a file whose row is gone is to be removed from the object storage: in the same transaction, so that an erasure that is committed cannot forget it.
CREATE OR REPLACE FUNCTION remove_object() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO object_removal (tenant_id, object, asked_at, due_at) VALUES (OLD.tenant_id, OLD.object, now(), now());
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION remove_object FROM PUBLIC;
