-- One link of a session's hash chain: SHA-256 over the previous link and over every field that gives the event its meaning.
-- position and xact_id are left out, because they only locate the row in this database: a log that is copied to another
-- database stays valid. Fields of fixed length come first and the only field of variable length comes last, so different
-- events cannot produce the same input bytes.
CREATE OR REPLACE FUNCTION chain_hash(
  previous bytea, session_id uuid, seq bigint, tenant_id uuid, event_id uuid, command_id uuid,
  schema_version int, recorded_at timestamptz, digest bytea, actor text, type text
) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sha256(previous || uuid_send(session_id) || int8send(seq) || uuid_send(tenant_id) || uuid_send(event_id)
    || uuid_send(command_id) || int4send(schema_version) || timestamptz_send(recorded_at) || digest
    || sha256(convert_to(actor, 'UTF8')) || convert_to(type, 'UTF8'))
$$;

REVOKE ALL ON FUNCTION chain_hash FROM PUBLIC;
GRANT EXECUTE ON FUNCTION chain_hash TO verbatim_app;
