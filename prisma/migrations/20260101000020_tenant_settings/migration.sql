-- What a tenant has decided for itself, one row per section.
CREATE TABLE tenant_setting (
  tenant_id  uuid           NOT NULL REFERENCES tenant,
  name       text           NOT NULL,
  value      json           NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, name)
);
GRANT SELECT, INSERT, UPDATE ON tenant_setting TO verbatim_app;
