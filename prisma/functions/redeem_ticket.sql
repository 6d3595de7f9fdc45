-- Redeems a ticket for an event stream, by its hash. Deleting the row is what makes it valid once, whichever processes receive it at the same time.
-- p_session null: for the stream of all sessions of the user. Whether the credentials still hold is checked as for an open stream.
CREATE OR REPLACE FUNCTION redeem_ticket(p_hash bytea, p_session uuid) RETURNS TABLE (credentials jsonb, is_valid boolean)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DELETE FROM stream_ticket k WHERE k.ticket_hash = p_hash AND k.session_id IS NOT DISTINCT FROM p_session RETURNING k.credentials, k.expires_at > now()
$$;
