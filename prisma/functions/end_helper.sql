-- Takes a helper from those that open_helpers looks at: its turn is over, and the turn of its parent has the result or is over, too.
CREATE OR REPLACE FUNCTION end_helper(p_tenant uuid, p_session uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  UPDATE session s SET helper_turn_id = NULL WHERE s.tenant_id = p_tenant AND s.session_id = p_session AND s.turn_id IS DISTINCT FROM s.helper_turn_id AND s.helper_turn_id IS NOT NULL;
END $$;

REVOKE ALL ON FUNCTION end_helper FROM PUBLIC;
GRANT EXECUTE ON FUNCTION end_helper TO verbatim_app;
