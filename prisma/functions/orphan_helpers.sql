-- Makes helpers of a session due to be erased, in the commit of the erasure of a message with their calls, which must be the last event of this transaction: whatever becomes of the process
-- that erases them next, expired_sessions finds them.
CREATE OR REPLACE FUNCTION orphan_helpers(p_outcome text, p_tenant uuid, p_session uuid, p_seq bigint, p_helpers uuid[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  own xid8;
BEGIN
  IF p_outcome <> 'appended' THEN
    RETURN false;
  END IF;
  own := pg_current_xact_id();
  PERFORM FROM event e WHERE e.tenant_id = p_tenant AND e.session_id = p_session AND e.seq = p_seq AND e.type = 'content.erased' AND e.xact_id = own;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'orphan_helpers rejected: event % of session % is not a content.erased event of this transaction', p_seq, p_session
      USING ERRCODE = 'VB003', HINT = 'Append the event with append_events in the same statement.';
  END IF;
  UPDATE session h SET is_orphaned = true WHERE h.tenant_id = p_tenant AND h.parent_id = p_session AND h.session_id = ANY (p_helpers);
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION orphan_helpers FROM PUBLIC;
GRANT EXECUTE ON FUNCTION orphan_helpers TO verbatim_app;
