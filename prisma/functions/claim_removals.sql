-- Takes objects that are due for removal, of all tenants, for p_ms milliseconds: then they are due again, for any process, if this one has not removed them.
-- From now on no file can name them: a put that took longer than its time is refused.
CREATE OR REPLACE FUNCTION claim_removals(p_limit int, p_ms float8) RETURNS TABLE (tenant_id uuid, object uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  at  timestamptz := now();
  due record;
BEGIN
  FOR due IN SELECT d.tenant_id, d.object FROM object_removal d WHERE d.due_at <= at ORDER BY d.due_at LIMIT p_limit LOOP
    -- What another transaction is taking, or naming a file with, is not waited for.
    PERFORM FROM object_removal r WHERE r.tenant_id = due.tenant_id AND r.object = due.object AND r.due_at <= at FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    RETURN QUERY UPDATE object_removal r SET removing = true, due_at = at + p_ms * interval '1 millisecond' WHERE r.tenant_id = due.tenant_id AND r.object = due.object RETURNING r.tenant_id, r.object;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION claim_removals FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_removals TO verbatim_app;
