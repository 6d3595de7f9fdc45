-- Counts the bytes of a file for the owner of the session that receives it or no longer has it. A session that does not exist yet counts its files when it begins: see append_events.
-- A tenant that is being restored comes with its totals; a lock for each of its sessions would be too many for one transaction.
CREATE OR REPLACE FUNCTION count_blob_use() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  changed blob_use := CASE WHEN TG_OP = 'INSERT' THEN NEW ELSE OLD END;
  owner   uuid;
BEGIN
  IF current_setting('verbatim.restoring', true) = changed.tenant_id::text THEN
    RETURN CASE WHEN TG_WHEN = 'BEFORE' THEN changed END;
  END IF;
  PERFORM pg_advisory_xact_lock(session_lock(changed.tenant_id, changed.session_id)); -- its owner stays
  SELECT s.user_id INTO owner FROM session s WHERE s.tenant_id = changed.tenant_id AND s.session_id = changed.session_id;
  IF TG_WHEN = 'BEFORE' THEN
    IF FOUND THEN
      PERFORM lock_files(changed.tenant_id, owner, ARRAY[changed.sha256]);
    END IF;
    RETURN changed;
  END IF;
  IF FOUND THEN
    PERFORM count_files(changed.tenant_id, changed.session_id, owner, ARRAY[changed.sha256], CASE WHEN TG_OP = 'INSERT' THEN 1 ELSE -1 END);
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION count_blob_use FROM PUBLIC;
