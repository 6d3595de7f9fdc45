-- Trigger function for event: rows are immutable. Two changes are permitted. One replaces the data of an event and removes its salt, in the transaction that has just appended a
-- content.erased event to the same log: see erase_content. The other removes an event before the last one, in the transaction that has recorded where the log is archived: see archive_log.
--
-- On a node of a distributed database the table is a shard, and the number of the transaction is that of the node: there erase_content and archive_log say which one it is on the coordinator, and the events are those of
-- the shard.
CREATE OR REPLACE FUNCTION guard_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_permitted boolean;
  own          xid8;
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.salt IS NULL THEN
    IF (NEW.session_id, NEW.seq, NEW.position, NEW.xact_id, NEW.tenant_id, NEW.event_id, NEW.command_id, NEW.type, NEW.schema_version, NEW.digest, NEW.hash, NEW.recorded_at)
      = (OLD.session_id, OLD.seq, OLD.position, OLD.xact_id, OLD.tenant_id, OLD.event_id, OLD.command_id, OLD.type, OLD.schema_version, OLD.digest, OLD.hash, OLD.recorded_at)
      AND NEW.actor::text = OLD.actor::text
    THEN
      IF TG_TABLE_NAME = 'event' THEN
        is_permitted := EXISTS (
          SELECT FROM stream s JOIN event e ON e.tenant_id = s.tenant_id AND e.session_id = s.session_id AND e.seq = s.version
          WHERE s.tenant_id = OLD.tenant_id AND s.session_id = OLD.session_id AND e.type = 'content.erased' AND e.xact_id = pg_current_xact_id());
      ELSE
        EXECUTE format($sql$SELECT e.type = 'content.erased' AND e.xact_id = nullif(current_setting('verbatim.transaction', true), '')::xid8 FROM %I.%I e
          WHERE e.tenant_id = $1 AND e.session_id = $2 ORDER BY e.seq DESC LIMIT 1$sql$, TG_TABLE_SCHEMA, TG_TABLE_NAME) INTO is_permitted USING OLD.tenant_id, OLD.session_id;
      END IF;
      IF is_permitted THEN
        RETURN NEW;
      END IF;
    END IF;
  END IF;
  IF TG_OP = 'DELETE' THEN
    own := CASE WHEN TG_TABLE_NAME = 'event' THEN pg_current_xact_id() ELSE nullif(current_setting('verbatim.transaction', true), '')::xid8 END;
    IF EXISTS (SELECT FROM log_archive a WHERE a.tenant_id = OLD.tenant_id AND a.session_id = OLD.session_id AND a.archived_in = own AND a.object IS NOT NULL AND OLD.seq < a.version) THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION '% on % rejected: recorded rows are immutable', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'VB001', HINT = 'Record a correction as a new event, through append_events.';
END $$;
