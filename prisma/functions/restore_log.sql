-- Brings the events of an archived log back, from the text that the caller has found in object p_object. Nothing is written that was not removed: the text must have the digest that archive_log computed, its
-- links must be those of the hash chain, and the last of them the head that has stayed. The object, and the key that encrypts it, are of no use then.
--
--   restored   the events are back
--   current    they were before, or another object has them: read again
--   damaged    the text is not what was archived
CREATE OR REPLACE FUNCTION restore_log(p_tenant uuid, p_session uuid, p_object uuid, p_content text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  kept   log_archive;
  events event[];
BEGIN
  PERFORM pg_advisory_xact_lock(session_lock(p_tenant, p_session));
  SELECT * INTO kept FROM log_archive a WHERE a.tenant_id = p_tenant AND a.session_id = p_session AND a.object = p_object;
  IF NOT FOUND THEN
    RETURN 'current';
  END IF;
  IF sha256(convert_to(p_content, 'UTF8')) <> kept.content_digest THEN
    RETURN 'damaged';
  END IF;
  events := ARRAY(
    SELECT ROW(p_session, l.seq, l.position, l.transaction::xid8, p_tenant, l."eventId", l."commandId", l.type, l."schemaVersion", l.actor::json, l.data::json, decode(l.salt, 'hex'),
      decode(l.digest, 'hex'), decode(l.hash, 'hex'), timestamptz 'epoch' + l."recordedMs" * interval '1 millisecond')::event
    FROM string_to_table(p_content, E'\n') AS line CROSS JOIN LATERAL json_to_record(line::json) AS l(seq bigint, position bigint, transaction text, "eventId" uuid, "commandId" uuid,
      type text, "schemaVersion" int, actor text, data text, salt text, digest text, hash text, "recordedMs" bigint));
  -- Encrypted content is compared with its digest by who has the key: each read does that.
  IF cardinality(events) <> kept.version OR EXISTS (
    SELECT FROM (
      SELECT e.*, lag(e.hash, 1, sha256('verbatim chain 1'::bytea || uuid_send(p_session))) OVER (ORDER BY e.seq) AS previous, row_number() OVER (ORDER BY e.seq) AS place FROM unnest(events) AS e) e
    WHERE e.seq <> e.place
      OR e.hash <> chain_hash(e.previous, p_session, e.seq, p_tenant, e.event_id, e.command_id, e.schema_version, e.recorded_at, e.digest, e.actor::text, e.type)
      OR (e.salt IS NOT NULL AND json_typeof(e.data) = 'object' AND e.digest <> sha256(e.salt || convert_to(e.data::text, 'UTF8'))))
    OR NOT EXISTS (SELECT FROM stream v WHERE v.tenant_id = p_tenant AND v.session_id = p_session AND v.version = kept.version AND v.head_hash = events[kept.version::int].hash)
  THEN
    RETURN 'damaged';
  END IF;

  INSERT INTO event (session_id, seq, position, xact_id, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at) OVERRIDING SYSTEM VALUE
  SELECT e.session_id, e.seq, e.position, e.xact_id, e.tenant_id, e.event_id, e.command_id, e.type, e.schema_version, e.actor, e.data, e.salt, e.digest, e.hash, e.recorded_at
  FROM unnest(events) AS e ON CONFLICT DO NOTHING;
  INSERT INTO object_removal (tenant_id, object, asked_at, due_at) VALUES (p_tenant, p_object, now(), now());
  DELETE FROM data_key k WHERE k.tenant_id = p_tenant AND k.id = kept.data_key;
  UPDATE log_archive a SET object = NULL, data_key = NULL, restored_at = now() WHERE a.tenant_id = p_tenant AND a.session_id = p_session;
  RETURN 'restored';
END $$;

REVOKE ALL ON FUNCTION restore_log FROM PUBLIC;
GRANT EXECUTE ON FUNCTION restore_log TO verbatim_app;
