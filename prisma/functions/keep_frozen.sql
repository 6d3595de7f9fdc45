-- Trigger function of the tables of a frozen tenant, for its rows only: see src/platform/tenant-unit/freeze.ts. With the argument 'skip' the row is left as it is, for what functions of all
-- tenants do to many rows at once; else the statement is rejected.
CREATE OR REPLACE FUNCTION keep_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_ARGV[0] = 'skip' THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION '% on % rejected: the tenant is frozen', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'VB007', HINT = 'It is being moved; verbatim thaw-tenant ends that.';
END $$;

REVOKE ALL ON FUNCTION keep_frozen FROM PUBLIC;
