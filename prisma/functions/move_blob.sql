-- The bytes of a file lie in object storage from now on, where the caller has read them back: p_digest is the SHA-256 of what is there. False: the file is erased, moved or changed, or
-- the object is being removed; then nothing has changed.
CREATE OR REPLACE FUNCTION move_blob(p_tenant uuid, p_sha256 bytea, p_object uuid, p_digest bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM FROM object_removal r WHERE r.tenant_id = p_tenant AND r.object = p_object AND NOT r.removing FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE blob b SET bytes = NULL, object = p_object, object_bytes = octet_length(b.bytes)
  WHERE b.tenant_id = p_tenant AND b.sha256 = p_sha256 AND sha256(b.bytes) = p_digest;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM object_removal r WHERE r.tenant_id = p_tenant AND r.object = p_object;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION move_blob FROM PUBLIC;
GRANT EXECUTE ON FUNCTION move_blob TO verbatim_app;
