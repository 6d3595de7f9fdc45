-- Makes a new session a helper, in the commit of the append that creates it: called with its outcome. p_turn: its own turn for the call.
CREATE OR REPLACE FUNCTION start_helper(p_outcome text, p_tenant uuid, p_session uuid, p_parent uuid, p_parent_turn uuid, p_turn uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  -- Waits for an erasure of the parent, or the end of its turn, that is being committed: either it finds the helper, or the helper finds it. A message is erased when its turn is over,
  -- so a helper that is made later may have what was erased, and there is no use for it.
  PERFORM FROM session p WHERE p.tenant_id = p_tenant AND p.session_id = p_parent FOR SHARE;
  UPDATE session s SET is_orphaned = EXISTS (
      SELECT FROM session p WHERE p.tenant_id = p_tenant AND p.session_id = p_parent AND (p.is_erased OR p.turn_id IS DISTINCT FROM p_parent_turn)),
    parent_id = p_parent, parent_turn_id = p_parent_turn, helper_turn_id = p_turn WHERE s.tenant_id = p_tenant AND s.session_id = p_session;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION start_helper FROM PUBLIC;
GRANT EXECUTE ON FUNCTION start_helper TO verbatim_app;
