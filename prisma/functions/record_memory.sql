-- Appends one change of a user's memory: a row per path that it changes, with the version after p_expected. False, and nothing is written, when the memory has another version by now, or when this call has
-- been recorded before; then the caller reads again. Changes of one user wait for each other. Only in a transaction of the tenant.
CREATE OR REPLACE FUNCTION record_memory(
  p_tenant uuid, p_user uuid,
  p_expected bigint,                              -- the version that was read; 0: none
  p_session uuid, p_call text, p_by uuid,
  p_files uuid[], p_bodies text[],
  p_key uuid,                                     -- with which the bodies are encrypted; null: they are not
  p_key_id text, p_wrapped bytea                  -- to store the key with; null: it is stored
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF p_tenant IS DISTINCT FROM current_tenant() THEN
    RAISE EXCEPTION 'record_memory rejected: % is not the tenant of this transaction', p_tenant USING ERRCODE = 'VB003';
  END IF;
  PERFORM pg_advisory_xact_lock(memory_lock(p_tenant, p_user));
  IF p_expected <> coalesce((SELECT max(m.version) FROM memory_change m WHERE m.tenant_id = p_tenant AND m.user_id = p_user), 0)
    OR EXISTS (SELECT FROM memory_change m WHERE m.tenant_id = p_tenant AND m.session_id = p_session AND m.call_id = p_call)
    -- Erased since it was read, together with its key.
    OR p_wrapped IS NULL AND p_key IS NOT NULL AND NOT EXISTS (SELECT FROM data_key k WHERE k.tenant_id = p_tenant AND k.id = p_key) THEN
    RETURN false;
  END IF;
  IF p_wrapped IS NOT NULL THEN
    INSERT INTO data_key (id, tenant_id, key_id, wrapped) VALUES (p_key, p_tenant, p_key_id, p_wrapped);
  END IF;
  INSERT INTO memory_change (tenant_id, user_id, version, file_id, body, data_key, session_id, call_id, changed_by)
  SELECT p_tenant, p_user, p_expected + 1, given.file_id, given.body, p_key, p_session, p_call, p_by FROM unnest(p_files, p_bodies) AS given (file_id, body);
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION record_memory FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_memory TO verbatim_app;
