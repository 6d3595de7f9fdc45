-- The log is protected three times: the application has no right to write it (grants, below), nobody changes it by mistake
-- (triggers), and whoever drops the triggers to change it anyway is found out (the hash chain).

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % refused: what was recorded stays as it is', TG_OP, TG_TABLE_NAME USING ERRCODE = 'VB001';
END $$;

-- ENABLE ALWAYS: they fire under session_replication_role = replica as well, which skips ordinary triggers.
CREATE TRIGGER event_stays BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER event_not_emptied BEFORE TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE event ENABLE ALWAYS TRIGGER event_stays, ENABLE ALWAYS TRIGGER event_not_emptied;

-- Receipts may be deleted by the owner, to prune them.
CREATE TRIGGER receipt_stays BEFORE UPDATE ON receipt FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER receipt_not_emptied BEFORE TRUNCATE ON receipt FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE receipt ENABLE ALWAYS TRIGGER receipt_stays, ENABLE ALWAYS TRIGGER receipt_not_emptied;

CREATE FUNCTION guard_stream() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.version > OLD.version AND NEW.session_id = OLD.session_id AND NEW.tenant_id = OLD.tenant_id THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION '% on stream refused: a head only moves forward', TG_OP USING ERRCODE = 'VB001';
END $$;
CREATE TRIGGER stream_moves_forward BEFORE UPDATE OR DELETE ON stream FOR EACH ROW EXECUTE FUNCTION guard_stream();
CREATE TRIGGER stream_not_emptied BEFORE TRUNCATE ON stream FOR EACH STATEMENT EXECUTE FUNCTION guard_stream();
ALTER TABLE stream ENABLE ALWAYS TRIGGER stream_moves_forward, ENABLE ALWAYS TRIGGER stream_not_emptied;

-- Grants. The application reads the log and appends through the function, which runs with the owner's rights.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO verbatim_app;
GRANT SELECT ON stream, event, receipt, session TO verbatim_app;
GRANT SELECT, DELETE, UPDATE (not_before) ON outbox TO verbatim_app;
GRANT SELECT, INSERT ON tenant, app_user, api_token, blob TO verbatim_app;
GRANT UPDATE (revoked_at) ON api_token TO verbatim_app;

-- Every function is open to everybody until it is closed.
REVOKE ALL ON FUNCTION append_events, verify_session, event_link FROM PUBLIC;
GRANT EXECUTE ON FUNCTION append_events, verify_session, event_link TO verbatim_app;
