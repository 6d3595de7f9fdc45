-- Redeems a code that signs a user in, by its hash. Deleting the row is what makes it valid once, whichever processes receive it at the same time.
CREATE OR REPLACE FUNCTION redeem_code(p_hash bytea) RETURNS TABLE (tenant_id uuid, user_id uuid, is_valid boolean)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DELETE FROM sign_in_code c USING app_user u WHERE c.code_hash = p_hash AND u.tenant_id = c.tenant_id AND u.user_id = c.user_id
  RETURNING c.tenant_id, c.user_id, c.expires_at > now() AND u.disabled_at IS NULL
$$;
