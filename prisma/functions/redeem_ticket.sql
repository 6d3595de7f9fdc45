-- Redeems a ticket for an event stream, by its hash. Deleting the row is what makes it valid once, whichever processes receive it at the same time.
-- p_session null: for the stream of all sessions of the user. ended: what the ticket stands for is not accepted any more.
CREATE OR REPLACE FUNCTION redeem_ticket(p_hash bytea, p_session uuid)
RETURNS TABLE (tenant_id uuid, user_id uuid, role text, groups text[], scopes text[], token_id uuid, sign_in_id uuid, expires_at timestamptz, ended boolean)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DELETE FROM stream_ticket k USING app_user u
  WHERE k.ticket_hash = p_hash AND k.session_id IS NOT DISTINCT FROM p_session AND u.tenant_id = k.tenant_id AND u.user_id = k.user_id
  RETURNING k.tenant_id, k.user_id, k.role, k.groups, k.scopes, k.token_id, k.sign_in_id, k.expires_at, u.disabled_at IS NOT NULL
    OR EXISTS (SELECT FROM api_token t WHERE t.token_id = k.token_id AND t.revoked_at IS NOT NULL)
    OR k.sign_in_id IS NOT NULL AND NOT EXISTS (SELECT FROM sign_in s WHERE s.sign_in_id = k.sign_in_id)
$$;
