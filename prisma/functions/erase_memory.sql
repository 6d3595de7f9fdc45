-- Deletes the memory of a user with its history, and the data keys that nothing else is encrypted with, whose ids it returns. p_until null: all of it. Otherwise what was written up to then, and what sessions that
-- existed then have written since: the rest of an erasure of the user, whose sessions may have run on. A file with such a row goes whole, with the files that one change has moved or deleted together with it, since a
-- later row, of whichever session, may hold the content of an earlier one. Only in a transaction of the tenant.
CREATE OR REPLACE FUNCTION erase_memory(p_tenant uuid, p_user uuid, p_until timestamptz)
RETURNS uuid[] LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  files   uuid[];
  more    uuid[];
  used    uuid[];
  dropped uuid[];
BEGIN
  IF p_tenant IS DISTINCT FROM current_tenant() THEN
    RAISE EXCEPTION 'erase_memory rejected: % is not the tenant of this transaction', p_tenant USING ERRCODE = 'VB003';
  END IF;
  PERFORM pg_advisory_xact_lock(memory_lock(p_tenant, p_user));
  files := ARRAY(
    SELECT DISTINCT m.file_id FROM memory_change m WHERE m.tenant_id = p_tenant AND m.user_id = p_user
      AND (p_until IS NULL OR m.created_at <= p_until
        OR EXISTS (SELECT FROM session s WHERE s.tenant_id = p_tenant AND s.session_id = m.session_id AND s.created_at <= p_until)));
  WHILE p_until IS NOT NULL LOOP
    more := ARRAY(
      SELECT DISTINCT o.file_id FROM memory_change m JOIN memory_change o ON o.tenant_id = m.tenant_id AND o.user_id = m.user_id AND o.version = m.version
      WHERE m.tenant_id = p_tenant AND m.user_id = p_user AND m.file_id = ANY (files));
    EXIT WHEN cardinality(more) = cardinality(files); -- each file is of its own change, so none is lost
    files := more;
  END LOOP;
  WITH gone AS (
    DELETE FROM memory_change m WHERE m.tenant_id = p_tenant AND m.user_id = p_user AND m.file_id = ANY (files) RETURNING m.data_key
  )
  SELECT coalesce(array_agg(DISTINCT g.data_key) FILTER (WHERE g.data_key IS NOT NULL), '{}') INTO used FROM gone g;
  WITH gone AS (
    DELETE FROM data_key k WHERE k.tenant_id = p_tenant AND k.id = ANY (used)
      AND NOT EXISTS (SELECT FROM memory_change m WHERE m.tenant_id = p_tenant AND m.user_id = p_user AND m.data_key = k.id)
    RETURNING k.id
  )
  SELECT coalesce(array_agg(g.id), '{}') INTO dropped FROM gone g;
  RETURN dropped;
END $$;

REVOKE ALL ON FUNCTION erase_memory FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_memory TO verbatim_app;
