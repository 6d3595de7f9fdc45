-- The user whom a trusted issuer names. p_identity: hash of issuer and subject, which identify the user from the first time on; until then p_user, the id by the name, does. Names that
-- look alike have one id: those of others are refused. p_role null: the user keeps the role. A role that was set or said later than p_issued stays.
CREATE OR REPLACE FUNCTION vouch_user(p_tenant uuid, p_tenant_name text, p_user uuid, p_name text, p_identity bytea, p_role text, p_issued timestamptz)
RETURNS TABLE (user_id uuid, user_role text, refused text, is_changed boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  known app_user;
  named text;
BEGIN
  is_changed := false;
  SELECT t.name INTO named FROM tenant t WHERE t.tenant_id = p_tenant;
  IF NOT FOUND THEN
    INSERT INTO tenant (tenant_id, name) VALUES (p_tenant, p_tenant_name) ON CONFLICT DO NOTHING;
    SELECT t.name INTO named FROM tenant t WHERE t.tenant_id = p_tenant;
  END IF;
  IF named <> p_tenant_name THEN
    refused := 'the name of the tenant only looks like that of an existing one';
    RETURN NEXT;
    RETURN;
  END IF;
  SELECT * INTO known FROM app_user u WHERE u.tenant_id = p_tenant AND u.identity = p_identity;
  IF NOT FOUND THEN
    INSERT INTO app_user (tenant_id, user_id, name, role, role_as_of, identity)
    VALUES (p_tenant, p_user, p_name, coalesce(p_role, 'member'), CASE WHEN p_role IS NOT NULL THEN p_issued END, p_identity) ON CONFLICT DO NOTHING;
    -- A user without an identity was made by an admin, or deleted; the first one with exactly this name is that user.
    UPDATE app_user u SET identity = p_identity WHERE u.tenant_id = p_tenant AND u.user_id = p_user AND u.identity IS NULL AND u.name IN (p_name, '');
    SELECT * INTO known FROM app_user u WHERE u.tenant_id = p_tenant AND u.user_id = p_user;
    IF known.identity IS DISTINCT FROM p_identity THEN
      refused := CASE WHEN known.name <> p_name THEN 'the name of the user only looks like that of an existing one'
        ELSE 'the name of the user belongs to another subject of an issuer' END;
      RETURN NEXT;
      RETURN;
    END IF;
  END IF;
  IF known.disabled_at IS NOT NULL THEN
    refused := 'the user is disabled';
    RETURN NEXT;
    RETURN;
  END IF;
  -- A user who was deleted and enabled again has no name.
  IF known.name = '' AND known.user_id = p_user THEN
    UPDATE app_user u SET name = p_name WHERE u.tenant_id = p_tenant AND u.user_id = p_user AND u.name = '';
  END IF;
  -- Of what was issued in the same second, the lower role counts.
  IF p_role IS NOT NULL AND (known.role_as_of IS NULL OR known.role_as_of < p_issued OR known.role <> p_role AND known.role_as_of = p_issued) THEN
    BEGIN
      UPDATE app_user u SET role = p_role, role_as_of = p_issued
      WHERE u.tenant_id = p_tenant AND u.user_id = known.user_id
        AND (u.role_as_of IS NULL OR u.role_as_of < p_issued OR u.role_as_of = p_issued AND (p_role = 'member' OR u.role = 'admin'))
        AND (u.role <> p_role OR u.role_as_of IS DISTINCT FROM p_issued);
    EXCEPTION WHEN SQLSTATE 'VB007' THEN
      -- The tenant is being moved: who may read keeps the role that is stored, unless the new one is lower.
      known.role := CASE WHEN p_role = 'member' THEN p_role ELSE known.role END;
      user_id := known.user_id;
      user_role := known.role;
      RETURN NEXT;
      RETURN;
    END;
    user_role := known.role;
    SELECT * INTO known FROM app_user u WHERE u.tenant_id = p_tenant AND u.user_id = known.user_id;
    is_changed := known.role <> user_role;
  END IF;
  user_id := known.user_id;
  user_role := known.role;
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION vouch_user FROM PUBLIC;
GRANT EXECUTE ON FUNCTION vouch_user TO verbatim_app;
