-- Counts the bytes of the tenant's files. Those of a tenant that is being restored are in the totals that come with it.
CREATE OR REPLACE FUNCTION count_blob() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF current_setting('verbatim.restoring', true) = NEW.tenant_id::text THEN
      RETURN NULL;
    END IF;
    PERFORM add_to_totals(NEW.tenant_id, ARRAY['00000000-0000-0000-0000-000000000000'::uuid], '-infinity', 0, 0, 0, 0, coalesce(NEW.object_bytes, octet_length(NEW.bytes)));
  ELSE
    PERFORM add_to_totals(OLD.tenant_id, ARRAY['00000000-0000-0000-0000-000000000000'::uuid], '-infinity', 0, 0, 0, 0, -coalesce(OLD.object_bytes, octet_length(OLD.bytes)));
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION count_blob FROM PUBLIC;
