-- min build: 20260101000000_initial
-- Builds before this one read and store files in the database, and cannot read those that lie in object storage: BLOB_STORE is set when all processes are of this build.

-- The bytes of a file lie in the row, or in object storage under the tenant and the id `object`.
ALTER TABLE blob
  ALTER COLUMN bytes DROP NOT NULL,
  ADD COLUMN object uuid,
  ADD COLUMN object_bytes bigint, -- as stored
  ADD CONSTRAINT blob_in_one_place CHECK ((bytes IS NULL) = (object IS NOT NULL) AND (object IS NULL) = (object_bytes IS NULL)) NOT VALID;

-- Objects that no row of blob names: written before the object is, so that a process that ends in between leaves a trace; taken away by the statement that stores the row of the
-- file; written again by the one that deletes it. Workers remove what is due from the object storage, and then the row.
CREATE TABLE object_removal (
  tenant_id uuid           NOT NULL REFERENCES tenant,
  object    uuid           NOT NULL,
  asked_at  timestamptz(3) NOT NULL, -- since when it may be removed; in the future: a file may still name it
  due_at    timestamptz(3) NOT NULL, -- when a process may try next
  removing  boolean        NOT NULL DEFAULT false, -- a worker has begun: no file may name the object any more
  PRIMARY KEY (tenant_id, object)
);

CREATE FUNCTION remove_object() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'prisma/functions is not applied'; END $$;
CREATE TRIGGER blob_object_removed AFTER DELETE ON blob FOR EACH ROW WHEN (OLD.object IS NOT NULL) EXECUTE FUNCTION remove_object();

GRANT SELECT, INSERT, DELETE ON object_removal TO verbatim_app;
GRANT UPDATE (due_at) ON object_removal TO verbatim_app;
ALTER TABLE object_removal ENABLE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON object_removal TO verbatim_app USING (tenant_id = current_tenant());
