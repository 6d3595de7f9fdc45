-- Changes sections of the settings of a tenant, and records who did. Returns the version of the settings after it; null, and nothing is written, when a section that would change has been changed after the
-- version p_expected. A section that has this value already is neither changed nor in the way. Changes of one tenant wait for each other. Only in a transaction of the tenant.
CREATE OR REPLACE FUNCTION change_settings(
  p_tenant uuid,
  p_names text[], p_values text[],
  p_replaces boolean[],                           -- whether the section is replaced; otherwise it is set only while it has no value
  p_expected bigint,                              -- the version that was read; null: whatever it is
  p_by uuid                                       -- null: the server
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  known_version bigint;
  changed text[];
BEGIN
  IF p_tenant IS DISTINCT FROM current_tenant() THEN
    RAISE EXCEPTION 'change_settings rejected: % is not the tenant of this transaction', p_tenant USING ERRCODE = 'VB003';
  END IF;
  PERFORM pg_advisory_xact_lock(uuid_hash_extended(p_tenant, 2));
  known_version := coalesce((SELECT max(c.version) FROM tenant_setting_change c WHERE c.tenant_id = p_tenant), 0);
  changed := ARRAY(
    SELECT given.name FROM unnest(p_names, p_values, p_replaces) AS given (name, value, replaces)
    LEFT JOIN tenant_setting known ON known.tenant_id = p_tenant AND known.name = given.name
    WHERE known.name IS NULL OR known.value::text <> given.value AND (given.replaces OR known.value::text = 'null'));
  IF EXISTS (SELECT FROM tenant_setting_change c WHERE c.tenant_id = p_tenant AND c.version > p_expected AND c.name = ANY (changed)) THEN
    RETURN NULL;
  END IF;
  IF cardinality(changed) = 0 THEN
    RETURN known_version;
  END IF;
  FOR i IN 1..cardinality(p_names) LOOP
    CONTINUE WHEN p_names[i] <> ALL (changed);
    INSERT INTO tenant_setting (tenant_id, name, value, updated_at) VALUES (p_tenant, p_names[i], p_values[i]::json, now())
    ON CONFLICT (tenant_id, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at;
    INSERT INTO tenant_setting_change (tenant_id, version, name, changed_by) VALUES (p_tenant, known_version + 1, p_names[i], p_by);
  END LOOP;
  RETURN known_version + 1;
END $$;

REVOKE ALL ON FUNCTION change_settings FROM PUBLIC;
GRANT EXECUTE ON FUNCTION change_settings TO verbatim_app;
