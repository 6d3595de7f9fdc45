-- min build: 20260101000000_initial
-- Older builds cannot read archived logs: ARCHIVE_AFTER_DAYS is set when all processes are of this build. The first log that is archived keeps older builds from starting, see archive_log.

-- The logs of cold sessions in object storage. A row stays when its log has been brought back: from then on the session has to be cold again. Written by archive_log and restore_log.
CREATE TABLE log_archive (
  tenant_id      uuid           NOT NULL,
  session_id     uuid           NOT NULL,
  object         uuid,          -- null: the events are in the table event again
  object_bytes   bigint         NOT NULL, -- as stored
  content_bytes  bigint         NOT NULL, -- of the text that log_text made
  content_digest bytea          NOT NULL CHECK (octet_length(content_digest) = 32), -- SHA-256 of that text, computed here from the events that were removed
  data_key       uuid,          -- with which the object is encrypted; null: it is not
  is_plain       boolean        NOT NULL, -- see find_plain_sessions
  version        bigint         NOT NULL, -- of the session, which does not change while it is archived
  archived_at    timestamptz(3) NOT NULL DEFAULT now(),
  archived_in    xid8           NOT NULL DEFAULT pg_current_xact_id(), -- see guard_event
  restored_at    timestamptz(3),
  PRIMARY KEY (tenant_id, session_id),
  CONSTRAINT log_archive_object_check CHECK ((object IS NULL) = (restored_at IS NOT NULL) AND (object IS NOT NULL OR data_key IS NULL))
);

GRANT SELECT ON log_archive TO verbatim_app;
ALTER TABLE log_archive ENABLE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON log_archive TO verbatim_app USING (tenant_id = current_tenant());
