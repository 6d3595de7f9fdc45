-- Recomputes a session's hash chain from the stored text. Returns no row for a session that does not exist or that belongs
-- to another tenant. first_invalid_seq is the first position in the log at which an event is missing, was altered or was
-- added outside append_events; null when the whole log is valid.
CREATE OR REPLACE FUNCTION verify_session(p_tenant uuid, p_session uuid)
RETURNS TABLE (events bigint, head_hash text, first_invalid_seq bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  WITH head AS MATERIALIZED (
    SELECT s.version, s.head_hash FROM stream s WHERE s.session_id = p_session AND s.tenant_id = p_tenant
  ), checked AS (
    SELECT row_number() OVER log AS expected_seq, e.hash,
      e.seq = row_number() OVER log
        AND e.tenant_id = p_tenant
        AND e.digest = sha256(convert_to(e.data::text, 'UTF8'))
        AND e.hash = chain_hash(coalesce(lag(e.hash) OVER log, sha256(uuid_send(p_session))), e.session_id, e.seq, e.tenant_id,
          e.event_id, e.command_id, e.schema_version, e.recorded_at, e.digest, e.actor::text, e.type) AS valid
    FROM event e WHERE e.session_id = p_session WINDOW log AS (ORDER BY e.seq)
  ), log AS (
    SELECT count(*) AS events, min(c.expected_seq) FILTER (WHERE NOT c.valid) AS first_invalid_seq,
      max(c.expected_seq) FILTER (WHERE c.hash = (SELECT h.head_hash FROM head h)) AS head_found_at
    FROM checked c
  )
  SELECT log.events, encode(head.head_hash, 'hex'),
    coalesce(log.first_invalid_seq,
      CASE -- the events agree with each other, but not with the head
        WHEN log.events <> head.version THEN least(log.events, head.version) + 1
        WHEN log.head_found_at IS DISTINCT FROM head.version THEN head.version
      END)
  FROM log, head
$$;
