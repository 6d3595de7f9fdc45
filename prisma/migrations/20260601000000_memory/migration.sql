-- min build: 20260101000000_initial
-- Older builds offer no tool with this table, and a memory is switched on per tenant: do it when all processes are of this build.

-- What changed in the memories of users: a row per path and change, never updated. The present state of a file is its row with the highest version. Written by record_memory, deleted by erase_memory.
CREATE TABLE memory_change (
  tenant_id  uuid           NOT NULL,
  user_id    uuid           NOT NULL,
  version    bigint         NOT NULL CHECK (version > 0), -- of the user's memory: one more with each change; all rows of a change have it
  file_id    uuid           NOT NULL, -- stands for the path, which is content: the same in every row of a path
  body       text           NOT NULL, -- JSON: path, content (null: the file is gone), renamedFrom; encrypted where data_key is set
  data_key   uuid,          -- with which body is encrypted; null: it is not
  session_id uuid,          -- whose model made the change; null: a person did
  call_id    text,          -- of the tool call that made it: a repeated call finds its own rows
  changed_by uuid           NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, user_id, version, file_id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES app_user,
  CHECK ((session_id IS NULL) = (call_id IS NULL))
);
CREATE UNIQUE INDEX memory_change_by_file ON memory_change (tenant_id, user_id, file_id, version);
CREATE UNIQUE INDEX memory_change_by_call ON memory_change (tenant_id, session_id, call_id, file_id);

-- Content must not be in the samples of the planner, which an erasure does not reach.
ALTER TABLE memory_change ALTER COLUMN body SET STATISTICS 0;

CREATE TRIGGER memory_change_immutable BEFORE UPDATE ON memory_change FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER memory_change_no_truncate BEFORE TRUNCATE ON memory_change FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

GRANT SELECT ON memory_change TO verbatim_app;
ALTER TABLE memory_change ENABLE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON memory_change TO verbatim_app USING (tenant_id = current_tenant());
