-- The events of a cold session lie in object storage from now on, where the caller has read them back: p_digest is the SHA-256 of the text that it found there, which must be that of the events here.
-- Removes them, but for the last one, which is the head that the others are verified against; those by which the forks of a session are found; erasures, by which processes find what they must forget; and
-- with these what else the activity of the tenant lists.
-- False: the session is not cold, is archived, or has changed, or the object is being removed; then nothing has changed.
CREATE OR REPLACE FUNCTION archive_log(
  p_tenant uuid, p_session uuid, p_idle_ms float8, p_object uuid, p_object_bytes bigint, p_digest bytea,
  p_key uuid, p_key_id text, p_wrapped bytea -- with which the object is encrypted; null: it is not
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  content  bytea;
  head     bigint;
  is_plain boolean;
  own      xid8;
BEGIN
  -- Before the first write, as in append_events: no append, restore or other archiver comes in between.
  PERFORM pg_advisory_xact_lock(session_lock(p_tenant, p_session));
  IF NOT is_cold(p_tenant, p_session, p_idle_ms) THEN
    RETURN false;
  END IF;
  content := convert_to(log_text(p_tenant, p_session), 'UTF8');
  IF content IS NULL OR sha256(content) <> p_digest THEN
    RETURN false;
  END IF;
  SELECT v.version INTO head FROM stream v WHERE v.tenant_id = p_tenant AND v.session_id = p_session;
  PERFORM FROM object_removal r WHERE r.tenant_id = p_tenant AND r.object = p_object AND NOT r.removing FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM object_removal r WHERE r.tenant_id = p_tenant AND r.object = p_object;
  IF p_key IS NOT NULL THEN
    INSERT INTO data_key (id, tenant_id, key_id, wrapped) VALUES (p_key, p_tenant, p_key_id, p_wrapped);
  END IF;
  DELETE FROM log_archive a WHERE a.tenant_id = p_tenant AND a.session_id = p_session;
  is_plain := EXISTS (
    SELECT FROM event e WHERE e.tenant_id = p_tenant AND e.session_id = p_session AND e.type IN ('prompt.submitted', 'message.appended') AND e.salt IS NOT NULL AND json_typeof(e.data) = 'object');
  own := pg_current_xact_id(); -- a node would put its own
  INSERT INTO log_archive (tenant_id, session_id, object, object_bytes, content_bytes, content_digest, data_key, is_plain, version, archived_in)
  VALUES (p_tenant, p_session, p_object, p_object_bytes, octet_length(content), p_digest, p_key, is_plain, head, own);
  -- For the nodes of a distributed database: see guard_event. In a block, since Citus hands on what is set in one.
  EXECUTE format('DO %L', format('BEGIN SET LOCAL verbatim.transaction = %L; END', own));
  DELETE FROM event e WHERE e.tenant_id = p_tenant AND e.session_id = p_session AND e.seq < head AND e.type NOT IN
    ('session.forked', 'content.erased', 'hold.placed', 'hold.released', 'session.granted', 'session.grant_revoked', 'glass.broken');
  -- A build that does not know archives would not find the events: it must not start any more.
  UPDATE "_prisma_migrations" m SET logs = m.migration_name WHERE m.migration_name = '20260915000000_archived_logs' AND m.logs IS DISTINCT FROM m.migration_name;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION archive_log FROM PUBLIC;
GRANT EXECUTE ON FUNCTION archive_log TO verbatim_app;
