-- As claim_removals, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION claim_reachable_removals(p_wait_ms int, p_limit int, p_ms float8) RETURNS TABLE (tenant_id uuid, object uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  at   timestamptz := now();
  page text := format('ORDER BY due_at LIMIT %L', p_limit);
  due  record;
BEGIN
  FOR due IN
    SELECT d.tenant_id, d.object FROM reachable_rows(p_wait_ms, 'object_removal', format('SELECT d.tenant_id, d.object, d.due_at FROM %%s d WHERE d.due_at <= %L::timestamptz %s', at, page), page) f,
      jsonb_populate_record(NULL::object_removal, f) d
    ORDER BY d.due_at LIMIT p_limit
  LOOP
    PERFORM FROM object_removal r WHERE r.tenant_id = due.tenant_id AND r.object = due.object AND r.due_at <= at FOR UPDATE SKIP LOCKED; -- as there
    CONTINUE WHEN NOT FOUND;
    RETURN QUERY UPDATE object_removal r SET removing = true, due_at = at + p_ms * interval '1 millisecond' WHERE r.tenant_id = due.tenant_id AND r.object = due.object RETURNING r.tenant_id, r.object;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION claim_reachable_removals FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_reachable_removals TO verbatim_app;
