-- min build: 20260101000000_initial
-- Older builds answer 500 instead of 503 for what a frozen tenant would change: freeze one when all processes are of this build.

-- Where a tenant came from: for each move the note with which the deployment before handed it over, and the key that signed it. The note names the last checkpoint of that deployment's transparency log.
CREATE TABLE tenant_handover (
  tenant_id   uuid           NOT NULL REFERENCES tenant,
  note        text           NOT NULL,
  verifier    text           NOT NULL, -- the public key that verifies the note
  restored_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, restored_at)
);

CREATE TRIGGER tenant_handover_immutable BEFORE UPDATE OR DELETE ON tenant_handover FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER tenant_handover_no_truncate BEFORE TRUNCATE ON tenant_handover FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

GRANT SELECT ON tenant_handover TO verbatim_app;
ALTER TABLE tenant_handover ENABLE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON tenant_handover TO verbatim_app USING (tenant_id = current_tenant());
