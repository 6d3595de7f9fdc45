-- min build: 20260101000000_initial
-- Older builds change settings without an entry here: such a change is in force, and a page that was read before does not notice it.

-- Who has changed which section of the settings of a tenant, and when: a row for each section, never updated. Written by change_settings, with the section itself.
CREATE TABLE tenant_setting_change (
  tenant_id  uuid           NOT NULL REFERENCES tenant,
  version    bigint         NOT NULL CHECK (version > 0), -- of the settings of the tenant: one more with each change; all sections that one request has changed have it
  name       text           NOT NULL,
  changed_by uuid,          -- null: the server
  changed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, version, name)
);

CREATE TRIGGER tenant_setting_change_immutable BEFORE UPDATE OR DELETE ON tenant_setting_change FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER tenant_setting_change_no_truncate BEFORE TRUNCATE ON tenant_setting_change FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

GRANT SELECT ON tenant_setting_change TO verbatim_app;
ALTER TABLE tenant_setting_change ENABLE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON tenant_setting_change TO verbatim_app USING (tenant_id = current_tenant());

-- The sessions that a user keeps on top of the list. It concerns the user alone, and is no event of the session.
CREATE TABLE session_pin (
  tenant_id  uuid           NOT NULL,
  user_id    uuid           NOT NULL,
  session_id uuid           NOT NULL,
  pinned_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, user_id, session_id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES app_user
);

GRANT SELECT, INSERT, DELETE ON session_pin TO verbatim_app;
ALTER TABLE session_pin ENABLE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON session_pin TO verbatim_app USING (tenant_id = current_tenant());

-- What waits for a decision of a user: few rows, asked for whenever a list is opened.
CREATE INDEX session_waiting_by_user ON session (tenant_id, user_id, archived, updated_at, session_id) WHERE status = 'waiting';
