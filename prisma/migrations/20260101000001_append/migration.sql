-- One link of a session's hash chain; the append and the check both go through it. It covers everything that gives an
-- event its meaning, and nothing that only places it in this database (position, xact_id): a log that is moved stays valid.
-- Parts of fixed length come first and the one of free length last, so that no part can pass for a piece of another.
CREATE FUNCTION event_link(
  previous bytea, session_id uuid, seq bigint, tenant_id uuid, event_id uuid, command_id uuid,
  schema_version int, recorded_at timestamptz, digest bytea, actor text, type text
) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sha256(previous || uuid_send(session_id) || int8send(seq) || uuid_send(tenant_id) || uuid_send(event_id)
    || uuid_send(command_id) || int4send(schema_version) || timestamptz_send(recorded_at) || digest
    || sha256(convert_to(actor, 'UTF8')) || convert_to(type, 'UTF8'))
$$;

-- Appends events, all or none, in one round trip and one commit, together with the command's receipt, the row of the
-- session list and the work for the queue. The arrays run side by side, one item per event.
--
--   outcome      first_seq, last_seq                recorded_at
--   appended     the new events                     theirs
--   duplicate    the events of the first time       null
--   conflict     null, the version found            null        p_expected is not the version
--   key_reused   null                               null        the command id names another request
--   not_found    null                               null        the session is another tenant's
--
-- An outcome is a value, not an error: nothing has been written when it is not `appended`.
CREATE FUNCTION append_events(
  p_tenant uuid, p_session uuid,
  p_expected bigint,                          -- 0: the session must not exist yet
  p_command uuid, p_request_hash bytea,
  p_actor text,                               -- JSON, the same for all events
  p_ids uuid[], p_types text[], p_schemas int[],
  p_data text[],                              -- JSON texts; not one JSON document, since taking that apart fails on \u0000
  p_jobs jsonb,                               -- [{queue, id, payload}]
  p_user uuid, p_title text, p_model text, p_status text, p_queue_length int, p_turn uuid, -- the session list's row
  OUT outcome text, OUT first_seq bigint, OUT last_seq bigint, OUT recorded_at timestamptz
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  added   int := cardinality(p_ids);
  base    bigint; -- the version found
  known   receipt;
  head    stream;
  at      timestamptz(3);
  link    bytea;
  links   bytea[] := '{}';
  digests bytea[] := '{}';
BEGIN
  -- Each statement after the lock must see what the last holder committed. A snapshot for the whole transaction would not.
  IF current_setting('transaction_isolation') <> 'read committed' OR added = 0 THEN
    RAISE EXCEPTION 'append_events needs READ COMMITTED and at least one event' USING ERRCODE = 'VB002';
  END IF;

  -- The session's lock comes before anything that gives this transaction an id (the first write does). So, within a
  -- session, ids are handed out in the order of seq, and the feed, which goes by ids, cannot show event 2 before event 1.
  -- An advisory lock also holds where there is no row yet to lock. Two sessions with one hash merely wait for each other.
  -- It is let go after the commit is visible.
  PERFORM pg_advisory_xact_lock(hashtextextended(p_session::text, 0));

  SELECT * INTO known FROM receipt r WHERE r.tenant_id = p_tenant AND r.command_id = p_command;
  IF FOUND THEN
    IF known.request_hash = p_request_hash AND known.session_id = p_session THEN
      outcome := 'duplicate'; first_seq := known.first_seq; last_seq := known.last_seq;
    ELSE
      outcome := 'key_reused';
    END IF;
    RETURN;
  END IF;

  SELECT * INTO head FROM stream s WHERE s.session_id = p_session;
  IF head.tenant_id <> p_tenant THEN
    outcome := 'not_found';
    RETURN;
  END IF;
  base := coalesce(head.version, 0);
  IF p_expected IS DISTINCT FROM base THEN
    outcome := 'conflict'; last_seq := base;
    RETURN;
  END IF;

  -- Read after the lock, and never earlier than the last event's: time does not run backwards within a session, even if
  -- the machine's clock does.
  at := greatest(date_trunc('milliseconds', clock_timestamp()), head.updated_at);

  -- The first write. Another session may be writing the same command at this moment, under its own lock: then this
  -- statement waits for that commit and finds the key taken.
  INSERT INTO receipt (tenant_id, command_id, request_hash, session_id, first_seq, last_seq, created_at)
  VALUES (p_tenant, p_command, p_request_hash, p_session, base + 1, base + added, at)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    outcome := 'key_reused';
    RETURN;
  END IF;

  link := coalesce(head.head_hash, sha256(uuid_send(p_session)));
  FOR i IN 1..added LOOP
    digests[i] := sha256(convert_to(p_data[i], 'UTF8'));
    link := event_link(link, p_session, base + i, p_tenant, p_ids[i], p_command, p_schemas[i], at, digests[i], p_actor, p_types[i]);
    links[i] := link;
  END LOOP;

  INSERT INTO event (session_id, seq, tenant_id, event_id, command_id, type, schema_version, actor, data, digest, hash, recorded_at)
  SELECT p_session, base + e.place, p_tenant, e.id, p_command, e.type, e.schema, p_actor::json, e.data::json, e.digest, e.link, at
  FROM unnest(p_ids, p_types, p_schemas, p_data, digests, links) WITH ORDINALITY AS e(id, type, schema, data, digest, link, place);

  IF base = 0 THEN
    INSERT INTO stream (session_id, tenant_id, version, head_hash, updated_at) VALUES (p_session, p_tenant, added, link, at);
  ELSE
    UPDATE stream s SET version = base + added, head_hash = link, updated_at = at WHERE s.session_id = p_session;
  END IF;

  INSERT INTO session (session_id, tenant_id, user_id, title, model, status, queue_length, turn_id, created_at, updated_at)
  VALUES (p_session, p_tenant, p_user, p_title, p_model, p_status, p_queue_length, p_turn, at, at)
  ON CONFLICT (session_id) DO UPDATE SET title = excluded.title, model = excluded.model, status = excluded.status,
    queue_length = excluded.queue_length, turn_id = excluded.turn_id, updated_at = excluded.updated_at;

  -- One job id is one job: a second call for work that still waits here adds nothing.
  IF jsonb_array_length(p_jobs) > 0 THEN
    INSERT INTO outbox (queue, job_id, payload)
    SELECT j.queue, j.id, j.payload FROM jsonb_to_recordset(p_jobs) AS j(queue text, id text, payload jsonb)
    ON CONFLICT (job_id) DO NOTHING;
  END IF;

  outcome := 'appended'; first_seq := base + 1; last_seq := base + added; recorded_at := at;
END $$;

-- Recomputes a session's chain from the stored texts. No row for an unknown session or another tenant's. `first_bad` is the
-- first place in the log where an event is missing, is not the one that was appended, or should not be; null when all is well.
CREATE FUNCTION verify_session(p_tenant uuid, p_session uuid)
RETURNS TABLE (events bigint, head_hash text, first_bad bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  WITH head AS MATERIALIZED (
    SELECT s.version, s.head_hash FROM stream s WHERE s.session_id = p_session AND s.tenant_id = p_tenant
  ), checked AS (
    SELECT row_number() OVER log AS place, e.hash,
      e.seq = row_number() OVER log
        AND e.tenant_id = p_tenant
        AND e.digest = sha256(convert_to(e.data::text, 'UTF8'))
        AND e.hash = event_link(coalesce(lag(e.hash) OVER log, sha256(uuid_send(p_session))), e.session_id, e.seq, e.tenant_id,
          e.event_id, e.command_id, e.schema_version, e.recorded_at, e.digest, e.actor::text, e.type) AS good
    FROM event e WHERE e.session_id = p_session WINDOW log AS (ORDER BY e.seq)
  ), log AS (
    SELECT count(*) AS events, min(c.place) FILTER (WHERE NOT c.good) AS first_bad,
      max(c.place) FILTER (WHERE c.hash = (SELECT h.head_hash FROM head h)) AS vouched_for
    FROM checked c
  )
  SELECT log.events, encode(head.head_hash, 'hex'),
    coalesce(log.first_bad,
      CASE
        WHEN log.events <> head.version THEN least(log.events, head.version) + 1
        WHEN log.vouched_for IS DISTINCT FROM head.version THEN head.version
      END)
  FROM log, head
$$;
