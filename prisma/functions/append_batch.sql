-- Appends for several sessions in one commit: item i of p_appends describes a call of append_events, of project_session if it has facts, and of count_usage if it has usage. Returns their results in
-- the same order, and for each one that it did not attempt, because something that it has to lock was locked, the outcome 'busy': the caller appends that one alone.
--
-- A batch waits for no lock that another batch can hold for longer than a commit, so that one locked session does not delay the others. An error rolls all of them back.
CREATE OR REPLACE FUNCTION append_batch(
  p_tenants uuid[], p_sessions uuid[],  -- of all appends
  p_job_tenants uuid[], p_jobs text[],  -- all jobs to remove
  p_appends json
) RETURNS TABLE (outcome text, first_seq bigint, last_seq bigint, recorded_at timestamptz, jobs_pending boolean, claim_fence bigint, head_hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  locks    bigint[]; -- of sessions, locked
  a        record;
  appended record;
  counted  usage_total[] := '{}';
BEGIN
  -- All session locks come before the first write: see append_events.
  locks := ARRAY(SELECT s.lock FROM (SELECT DISTINCT session_lock(s.tenant, s.id) AS lock FROM unnest(p_tenants, p_sessions) AS s(tenant, id)) s WHERE pg_try_advisory_xact_lock(s.lock));
  -- In the order of renew_turns, so that neither waits for the other.
  FOR a IN SELECT DISTINCT j.tenant_id, j.job_id FROM unnest(p_job_tenants, p_jobs) AS j(tenant_id, job_id) ORDER BY 1, 2 LOOP
    PERFORM FROM outbox o WHERE o.tenant_id = a.tenant_id AND o.job_id = a.job_id FOR UPDATE;
  END LOOP;
  FOR a IN SELECT * FROM json_to_recordset(p_appends) AS x(
    tenant uuid, session uuid, expected bigint, command uuid, request_hash text, actor text, ids uuid[], types text[], schemas int[], data text[], jobs jsonb, completed text[],
    claim_job text, claim_fence bigint, "user" uuid, title text, model text, status text, queue_length int, turn uuid, holder uuid, per_tenant int, lease_ms float8,
    salts bytea[], digests bytea[], usage jsonb, facts jsonb, language text, text_ids uuid[], text_kinds text[], texts text[], hidden uuid[], shown uuid[])
  LOOP
    IF session_lock(a.tenant, a.session) <> ALL (locks) THEN
      outcome := 'busy'; first_seq := NULL; last_seq := NULL; recorded_at := NULL; jobs_pending := NULL; claim_fence := NULL; head_hash := NULL;
      RETURN NEXT;
      CONTINUE;
    END IF;
    SELECT * INTO appended FROM append_events(a.tenant, a.session, a.expected, a.command, decode(a.request_hash, 'hex'), a.actor, a.ids, a.types, a.schemas, a.data, a.jobs,
      a.completed, a.claim_job, a.claim_fence, a."user", a.title, a.model, a.status, a.queue_length, a.turn, a.holder, a.per_tenant, a.lease_ms, a.salts, a.digests, false);
    IF a.facts IS NOT NULL THEN
      PERFORM project_session(appended.outcome, appended.recorded_at, a.tenant, a.session, a."user", a.facts, a.language::regconfig,
        a.text_ids, a.text_kinds, a.texts, a.hidden, a.shown);
    END IF;
    IF a.usage IS NOT NULL THEN
      PERFORM count_usage(appended.outcome, appended.recorded_at, a.tenant, a.session, a.usage, false);
    END IF;
    IF appended.outcome = 'appended' THEN
      IF appended.first_seq = 1 AND appended.last_seq > 0 THEN
        counted := counted || ROW(a.tenant, '-infinity', a."user", 0, 0, 0, 0, 1, 0)::usage_total;
      END IF;
      IF a.usage IS NOT NULL THEN
        -- Slot 0: counts for the tenant, too.
        counted := counted || ARRAY(SELECT ROW(a.tenant, (appended.recorded_at AT TIME ZONE 'UTC')::date, w.id, w.place - 1, x.prompts, x."inputTokens" + x."outputTokens" + x."cacheCreationTokens", x.cost, 0, 0)::usage_total
          FROM jsonb_to_recordset(a.usage) AS x("userId" uuid, prompts int, "inputTokens" bigint, "outputTokens" bigint, "cacheCreationTokens" bigint, cost bigint, also uuid[]),
            unnest(ARRAY[x."userId"] || coalesce(x.also, '{}')) WITH ORDINALITY AS w(id, place));
      END IF;
    END IF;
    outcome := appended.outcome; first_seq := appended.first_seq; last_seq := appended.last_seq; recorded_at := appended.recorded_at;
    jobs_pending := appended.jobs_pending; claim_fence := appended.claim_fence; head_hash := appended.head_hash;
    RETURN NEXT;
  END LOOP;
  -- Once for all appends: a row that one transaction changes many times has to be found among its own former versions.
  PERFORM add_to_totals(t.tenant_id, ARRAY[t.of_user], t.day, t.prompts, t.tokens, t.cost, t.sessions, 0) FROM (
    SELECT c.tenant_id, of_user, c.day, sum(c.prompts)::bigint AS prompts, sum(c.tokens)::bigint AS tokens, sum(c.cost)::bigint AS cost, sum(c.sessions)::bigint AS sessions
    FROM unnest(counted) AS c, unnest(CASE c.slot WHEN 0 THEN ARRAY['00000000-0000-0000-0000-000000000000', c.user_id] ELSE ARRAY[c.user_id] END) AS of_user GROUP BY 1, 2, 3) t;
END $$;

REVOKE ALL ON FUNCTION append_batch FROM PUBLIC;
GRANT EXECUTE ON FUNCTION append_batch TO verbatim_app;
