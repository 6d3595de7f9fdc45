-- Appends events to a session's log, all or none, in one commit with the command's receipt, the row of the session list
-- and the jobs of the outbox. The arrays are parallel: item i of each describes event i. Without events, only the receipt
-- is written: the command had nothing to do, and a repeat must find that.
--
--   outcome      first_seq, last_seq                      recorded_at
--   appended     the new events                           their timestamp
--   duplicate    the events of the first execution        null
--   conflict     null, the version found                  null           p_expected differs from the version found
--   key_reused   null                                     null           the command id belongs to another request
--   fenced       null                                     null           another worker has claimed the turn since: see claim_turn
--   archived     null                                     null           the events are in object storage: the caller brings them back first, see restore_log
--
-- The outcome is a value, not an error; for every outcome but `appended`, nothing has been written. jobs_pending: with
-- completed jobs, whether the tenant has pending jobs, which may now be leased.
--
-- With p_holder, the caller has room to run the turn that these events start: its job is leased to the caller in this commit,
-- unless the tenant has its share of leases or older pending jobs. claim_fence is then the number of the caller's claim, as from
-- claim_turn; null: the job is pending. The caller renews the lease with renew_turns.
CREATE OR REPLACE FUNCTION append_events(
  p_tenant uuid, p_session uuid,
  p_expected bigint,                          -- expected version of the session; 0: it must not exist yet
  p_command uuid, p_request_hash bytea,
  p_actor text,                               -- JSON, the same for all events
  p_ids uuid[], p_types text[], p_schemas int[],
  p_data text[],                              -- JSON texts; an array, because Postgres cannot decompose a JSON document that contains \u0000
  p_jobs jsonb,                               -- [{queue, id, payload}] to add
  p_completed text[],                         -- ids of jobs to remove: their turns end or wait with these events
  p_claim_job text, p_claim_fence bigint,     -- claim of the worker that reports; null for a command of a user
  p_user uuid, p_title text, p_model text, p_status text, p_queue_length int, p_turn uuid, -- row of the session list
  p_holder uuid DEFAULT NULL, p_per_tenant int DEFAULT NULL, p_lease_ms float8 DEFAULT NULL, -- see lease_jobs
  p_salts bytea[] DEFAULT NULL, p_digests bytea[] DEFAULT NULL, -- of encrypted events, see src/engine/store/encrypted-content.ts; null, or an item null: made here from the data
  p_count boolean DEFAULT true,               -- false: the caller adds a new session to the totals
  OUT outcome text, OUT first_seq bigint, OUT last_seq bigint, OUT recorded_at timestamptz, OUT jobs_pending boolean, OUT claim_fence bigint,
  OUT head_hash bytea                         -- of the last event; null without events
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  added    int := cardinality(p_ids);
  base     bigint; -- version found
  existing receipt;
  head     record;
  at       timestamptz(3);
  key_salt bytea;
  salts    bytea[] := '{}';
  link     bytea;
  links    bytea[] := '{}';
  digests  bytea[] := '{}';
  is_asked boolean := p_holder IS NOT NULL AND jsonb_array_length(p_jobs) = 1; -- for the turn
  taken    int; -- see take_place
  job      record;
  one      record;
BEGIN
  -- Every statement after the lock must see what the previous lock holder committed. READ COMMITTED takes a snapshot per
  -- statement; the stricter levels take one per transaction.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'append_events does not run under isolation level %', current_setting('transaction_isolation')
      USING ERRCODE = 'VB002', HINT = 'Call it in a transaction with isolation level READ COMMITTED.';
  END IF;

  -- The session lock must come before the first write, because the first write assigns the transaction id. Transaction ids
  -- within a session then follow the order of seq, and the feed, which is ordered by transaction id, cannot return an event
  -- before its predecessor. An advisory lock also covers a session that has no row to lock yet. The lock is released after the
  -- commit is visible.
  PERFORM pg_advisory_xact_lock(session_lock(p_tenant, p_session));

  SELECT * INTO existing FROM receipt r WHERE r.tenant_id = p_tenant AND r.command_id = p_command;
  IF FOUND THEN
    IF existing.request_digest = sha256(existing.salt || p_request_hash) AND existing.session_id = p_session THEN
      outcome := 'duplicate'; first_seq := existing.first_seq; last_seq := existing.last_seq;
    ELSE
      outcome := 'key_reused';
    END IF;
    RETURN;
  END IF;

  SELECT s.version, s.head_hash, s.updated_at, a.object INTO head
  FROM stream s LEFT JOIN log_archive a ON a.tenant_id = s.tenant_id AND a.session_id = s.session_id WHERE s.tenant_id = p_tenant AND s.session_id = p_session;
  -- Before the version: a worker that has lost its turn must not reload the session and try again. claim_turn holds the
  -- same lock, so no claim can come between this check and the commit.
  IF p_claim_job IS NOT NULL AND NOT EXISTS (SELECT FROM outbox o WHERE o.tenant_id = p_tenant AND o.job_id = p_claim_job AND o.fence = p_claim_fence) THEN
    outcome := 'fenced';
    RETURN;
  END IF;
  IF head.object IS NOT NULL THEN
    outcome := 'archived';
    RETURN;
  END IF;
  base := coalesce(head.version, 0);
  IF p_expected IS DISTINCT FROM base THEN
    outcome := 'conflict'; last_seq := base;
    RETURN;
  END IF;

  -- Read after the lock and never earlier than the previous event's timestamp: within a session time does not decrease,
  -- even if the clock of the machine is set back.
  at := greatest(date_trunc('milliseconds', clock_timestamp()), head.updated_at);

  -- The first write. Another session may be writing the same command concurrently, under its own lock: this statement then
  -- waits for that commit and finds the key taken.
  key_salt := uuid_send(gen_random_uuid());
  INSERT INTO receipt (tenant_id, command_id, salt, request_digest, session_id, first_seq, last_seq, created_at)
  VALUES (p_tenant, p_command, key_salt, sha256(key_salt || p_request_hash), p_session, base + 1, base + added, at)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    outcome := 'key_reused';
    RETURN;
  END IF;

  outcome := 'appended'; first_seq := base + 1; last_seq := base + added; recorded_at := at; jobs_pending := false;
  IF added = 0 THEN
    RETURN;
  END IF;

  -- A salt for each digest: who has only the digest cannot test guesses of the content. The first link names the format.
  link := coalesce(head.head_hash, sha256('verbatim chain 1'::bytea || uuid_send(p_session)));
  FOR i IN 1..added LOOP
    salts[i] := coalesce(p_salts[i], uuid_send(gen_random_uuid())); -- 122 random bits of the server's strong generator
    digests[i] := coalesce(p_digests[i], sha256(salts[i] || convert_to(p_data[i], 'UTF8')));
    link := chain_hash(link, p_session, base + i, p_tenant, p_ids[i], p_command, p_schemas[i], at, digests[i], p_actor, p_types[i]);
    links[i] := link;
  END LOOP;
  head_hash := link;

  -- Row by row: rows of a query that reads no table would be copied to the node of a distributed database in a two-phase commit, see pending_leaves.
  -- Of values, not of items of arrays, which would be sent whole with each row.
  FOR one IN SELECT e.* FROM unnest(p_ids, p_types, p_schemas, p_data, salts, digests, links) WITH ORDINALITY AS e(id, type, schema, data, salt, digest, link, ordinal) LOOP
    INSERT INTO event (session_id, seq, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at)
    VALUES (p_session, base + one.ordinal, p_tenant, one.id, p_command, one.type, one.schema, p_actor::json, one.data::json, one.salt, one.digest, one.link, at);
  END LOOP;

  IF base = 0 THEN
    INSERT INTO stream (session_id, tenant_id, version, head_hash, updated_at) VALUES (p_session, p_tenant, added, link, at);
  ELSE
    UPDATE stream s SET version = base + added, head_hash = link, updated_at = at WHERE s.tenant_id = p_tenant AND s.session_id = p_session;
  END IF;

  -- An INSERT … ON CONFLICT would lock the row first and write that to the log of the database. No other append writes this row: the session is locked.
  UPDATE session s SET title = p_title, model = p_model, status = p_status, queue_length = p_queue_length, turn_id = p_turn,
    updated_at = CASE WHEN p_types <@ ARRAY['session.accessed', 'schedule.ran'] THEN s.updated_at ELSE at END -- see UNNOTICED in src/session/state/evolve.ts
  WHERE s.tenant_id = p_tenant AND s.session_id = p_session;
  IF NOT FOUND THEN
    INSERT INTO session (session_id, tenant_id, user_id, title, model, status, queue_length, turn_id, created_at, updated_at)
    VALUES (p_session, p_tenant, p_user, p_title, p_model, p_status, p_queue_length, p_turn, at, at);
    IF p_count THEN
      PERFORM add_to_totals(p_tenant, ARRAY['00000000-0000-0000-0000-000000000000', p_user], '-infinity', 0, 0, 0, 1, 0);
    END IF;
    IF EXISTS (SELECT FROM blob_use u WHERE u.tenant_id = p_tenant AND u.session_id = p_session) THEN
      PERFORM count_files(p_tenant, p_session, p_user, ARRAY(SELECT u.sha256 FROM blob_use u WHERE u.tenant_id = p_tenant AND u.session_id = p_session), 1);
    END IF;
  END IF;

  is_asked := is_asked AND NOT has_pending_jobs(p_tenant);
  IF cardinality(p_completed) > 0 THEN
    DELETE FROM outbox o WHERE o.tenant_id = p_tenant AND o.job_id = ANY (p_completed);
    jobs_pending := has_pending_jobs(p_tenant);
  END IF;
  IF jsonb_array_length(p_jobs) > 0 THEN
    -- After the deletion: a turn that ends leaves its place to the next one of the session.
    IF is_asked THEN
      taken := take_place(p_tenant, p_per_tenant);
    END IF;
    IF taken IS NOT NULL THEN
      claim_fence := nextval('public.outbox_fence');
    END IF;
    FOR job IN SELECT * FROM jsonb_to_recordset(p_jobs) AS j(queue text, id text, payload jsonb) LOOP
      -- A job id is unique among those of the tenant: a second request for a job that is still there adds nothing.
      INSERT INTO outbox (tenant_id, turn_id, queue, job_id, payload, leased, place, not_before, holder, fence)
      VALUES (p_tenant, (job.payload->>'turnId')::uuid, job.queue, job.id, job.payload, taken IS NOT NULL, taken,
        clock_timestamp() + CASE WHEN claim_fence IS NULL THEN 0 ELSE p_lease_ms END * interval '1 millisecond',
        CASE WHEN claim_fence IS NOT NULL THEN p_holder END, coalesce(claim_fence, 0))
      ON CONFLICT (tenant_id, job_id) DO NOTHING;
      IF NOT FOUND THEN
        claim_fence := NULL;
      END IF;
    END LOOP;
  END IF;
END $$;

REVOKE ALL ON FUNCTION append_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION append_events TO verbatim_app;
