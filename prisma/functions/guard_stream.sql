-- Trigger function for stream: the only permitted change is a higher version of the same session.
CREATE OR REPLACE FUNCTION guard_stream() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.version > OLD.version AND NEW.session_id = OLD.session_id AND NEW.tenant_id = OLD.tenant_id THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION '% on stream rejected: the version of a session may only increase', TG_OP
    USING ERRCODE = 'VB001', HINT = 'Only append_events changes this table.';
END $$;
