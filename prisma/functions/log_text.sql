-- The events of a log as text, a line of JSON for each, with everything that their rows have, byte for byte: data and actor are strings, since the text of JSON counts. What restore_log reads.
CREATE OR REPLACE FUNCTION log_text(p_tenant uuid, p_session uuid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN (SELECT string_agg(json_build_object('seq', e.seq, 'position', e.position, 'transaction', e.xact_id::text, 'eventId', e.event_id, 'commandId', e.command_id, 'type', e.type,
    'schemaVersion', e.schema_version, 'actor', e.actor::text, 'data', e.data::text, 'salt', encode(e.salt, 'hex'), 'digest', encode(e.digest, 'hex'), 'hash', encode(e.hash, 'hex'),
    'recordedMs', (extract(epoch FROM e.recorded_at) * 1000)::bigint)::text, E'\n' ORDER BY e.seq)
  FROM event e WHERE e.tenant_id = p_tenant AND e.session_id = p_session);
END $$;

REVOKE ALL ON FUNCTION log_text FROM PUBLIC;
GRANT EXECUTE ON FUNCTION log_text TO verbatim_app;
