-- Which session reads which bytes: they are kept once per tenant, but a session may read only those that came with it. A fork takes copies of these rows along.
CREATE TABLE blob_use (
  tenant_id  uuid           NOT NULL,
  session_id uuid           NOT NULL,
  sha256     bytea          NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, session_id, sha256),
  FOREIGN KEY (tenant_id, sha256) REFERENCES blob
);
GRANT SELECT, INSERT ON blob_use TO verbatim_app;
