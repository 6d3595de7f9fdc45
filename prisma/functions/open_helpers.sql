-- Helpers of all tenants for which something is left to be done: the turn of the parent is over, so that they have to end, or theirs is over while the parent waits. runs: whether theirs is not over; the others come first.
-- p_runs, p_after_tenant, p_after_session: of the last one of the page before; null: the first page.
CREATE OR REPLACE FUNCTION open_helpers(p_limit bigint, p_runs boolean, p_after_tenant uuid, p_after_session uuid)
RETURNS TABLE (tenant_id uuid, session_id uuid, parent_id uuid, runs boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT h.tenant_id, h.session_id, h.parent_id, h.turn_id IS NOT DISTINCT FROM h.helper_turn_id
  FROM session h LEFT JOIN session p ON p.tenant_id = h.tenant_id AND p.session_id = h.parent_id
  WHERE h.helper_turn_id IS NOT NULL
    AND (p.turn_id IS DISTINCT FROM h.parent_turn_id OR (p.status = 'waiting' AND h.turn_id IS DISTINCT FROM h.helper_turn_id))
    AND (p_after_session IS NULL OR (h.turn_id IS NOT DISTINCT FROM h.helper_turn_id, h.tenant_id, h.session_id) > (p_runs, p_after_tenant, p_after_session))
  ORDER BY 4, 1, 2 LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION open_helpers FROM PUBLIC;
GRANT EXECUTE ON FUNCTION open_helpers TO verbatim_app;
