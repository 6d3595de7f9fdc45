-- Takes objects that are due for removal, of all tenants, for p_ms milliseconds: then they are due again, for any process, if this one has not removed them.
-- From now on no file can name them: a put that took longer than its time is refused.
CREATE OR REPLACE FUNCTION claim_removals(p_limit int, p_ms float8) RETURNS TABLE (tenant_id uuid, object uuid)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  UPDATE object_removal r SET removing = true, due_at = now() + p_ms * interval '1 millisecond'
  FROM (SELECT d.tenant_id, d.object FROM object_removal d WHERE d.due_at <= now() ORDER BY d.due_at LIMIT p_limit FOR UPDATE SKIP LOCKED) due
  WHERE r.tenant_id = due.tenant_id AND r.object = due.object
  RETURNING r.tenant_id, r.object
$$;

REVOKE ALL ON FUNCTION claim_removals FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_removals TO verbatim_app;
