import { mutantsOf } from './mutant.js';

const of = (name: string) => mutantsOf(`prisma/functions/${name}.sql`);
const append = of('append_events');
const batch = of('append_batch');
const place = of('take_place');
const claim = of('claim_turn');
const lease = of('lease_jobs');
const leaseOf = of('lease_jobs_of');

const CONTRACT = ['test/contract/postgres'];
const ABANDONED = ['test/postgres/abandoned-leases'];
const RACE = ['test/race/interleaving'];

const remember = of('record_memory');
const forget = of('erase_memory');
const SCHEDULES = ['test/e2e/schedules'];
const MEMORY = ['test/e2e/memory'];
const ARCHIVE = ['test/transparency/archive'];

export const sql = [
  of('archive_log')('events are removed of which the storage has others', 'sha256(content) <> p_digest', 'false', { specs: ARCHIVE }),
  of('restore_log')('other rows come back than were archived', "sha256(convert_to(p_content, 'UTF8')) <> kept.content_digest", 'false', { specs: ARCHIVE }),
  append('an archived log is appended to', 'IF head.object IS NOT NULL THEN', 'IF false THEN', { specs: ARCHIVE }),
  of('due_schedules')('schedules that are not due are run', 's.next_run_at <= statement_timestamp()', 'true', { specs: SCHEDULES }),
  remember(
    'two changes of a memory have one version',
    'p_expected <> coalesce((SELECT max(m.version) FROM memory_change m WHERE m.tenant_id = p_tenant AND m.user_id = p_user), 0)',
    'false',
    { specs: MEMORY },
  ),
  remember('a memory is written for another tenant', 'IF p_tenant IS DISTINCT FROM current_tenant() THEN', 'IF false THEN', { specs: MEMORY }),
  forget('a memory is erased for another tenant', 'IF p_tenant IS DISTINCT FROM current_tenant() THEN', 'IF false THEN', { specs: MEMORY }),
  forget(
    'the key of an erased memory stays',
    'DELETE FROM data_key k WHERE k.tenant_id = p_tenant AND k.id = ANY (used)',
    'DELETE FROM data_key k WHERE false',
    { specs: MEMORY },
  ),
  claim('claim_turn has no lock', 'PERFORM pg_advisory_xact_lock(session_lock(p_tenant, p_session));', '', { specs: RACE }),
  claim('claim_turn keeps the holder', ', holder = NULL', '', { specs: CONTRACT }),
  claim('claim_turn does not raise the number', 'fence = raised', 'fence = o.fence', { specs: CONTRACT }),
  append('append_events has no lock', 'PERFORM pg_advisory_xact_lock(session_lock(p_tenant, p_session));', '', { specs: RACE }),
  append('time runs backwards', "greatest(date_trunc('milliseconds', clock_timestamp()), head.updated_at)", "date_trunc('milliseconds', clock_timestamp())", {
    specs: ['test/race/clock'],
  }),
  append('a receipt counts for every request', 'existing.request_digest = sha256(existing.salt || p_request_hash) AND ', '', { specs: CONTRACT }),
  append('a receipt counts for every session', ' AND existing.session_id = p_session THEN', ' THEN', { specs: CONTRACT }),
  append(
    'a session belongs to every tenant',
    'a.session_id = s.session_id WHERE s.tenant_id = p_tenant AND s.session_id = p_session;',
    'a.session_id = s.session_id WHERE s.session_id = p_session;',
    { specs: CONTRACT },
  ),
  append('an older claim may report', 'o.job_id = p_claim_job AND o.fence = p_claim_fence', 'o.job_id = p_claim_job', { specs: CONTRACT }),
  append('the version is not compared', 'IF p_expected IS DISTINCT FROM base THEN', 'IF false THEN', { specs: CONTRACT }),
  place('a share of leases is exceeded by one', 'generate_series(1, least(p_per_tenant, held + 256))', 'generate_series(1, held + 256)', { specs: RACE }),
  append('a turn overtakes pending ones of its tenant', 'is_asked := is_asked AND NOT has_pending_jobs(p_tenant);', '', { specs: CONTRACT }),
  place('a place is taken that another transaction is taking', 'pg_try_advisory_xact_lock(8150315, uuid_hash(p_tenant) # candidate)', 'true', { specs: RACE }),
  append('completed jobs stay', 'DELETE FROM outbox o WHERE o.tenant_id = p_tenant AND o.job_id = ANY (p_completed);', '', { specs: CONTRACT }),
  append(
    'jobs of the whole tenant are completed',
    'DELETE FROM outbox o WHERE o.tenant_id = p_tenant AND o.job_id = ANY (p_completed);',
    'DELETE FROM outbox o WHERE o.tenant_id = p_tenant;',
    { specs: CONTRACT },
  ),
  append('pending jobs are not reported', 'jobs_pending := has_pending_jobs(p_tenant);', '', { specs: CONTRACT }),
  append('a job that was there is handed over', '      IF NOT FOUND THEN\n        claim_fence := NULL;\n      END IF;\n', '', {
    specs: ['test/contract/postgres'],
  }),
  batch('a batch locks its jobs in the order of its appends', 'PERFORM FROM outbox o WHERE o.tenant_id = a.tenant_id AND o.job_id = a.job_id FOR UPDATE;', '', {
    specs: ['test/race/deadlock'],
  }),
  batch('a batch waits for a locked session', 'WHERE pg_try_advisory_xact_lock(s.lock));', 'WHERE pg_advisory_xact_lock(s.lock) IS NOT NULL);', {
    specs: ['test/contract/group-commit'],
  }),
  batch('a batch appends to a session that it has not locked', 'IF session_lock(a.tenant, a.session) <> ALL (locks) THEN', 'IF false THEN', {
    specs: ['test/contract/group-commit'],
  }),
  of('renew_turns')('leases are renewed in any order', 'ORDER BY 1, 2 LOOP', 'ORDER BY 1, 2 DESC LOOP', {
    specs: ['test/race/deadlock'],
  }),
  of('renew_turns')('the lease of another process is renewed', 'AND o.job_id = job.job_id AND o.holder = p_holder', 'AND o.job_id = job.job_id', {
    specs: CONTRACT,
  }),
  of('release_turns')('the turn of another process is released', ' AND o.holder = p_holder', '', { specs: CONTRACT }),
  of('redeliver_jobs')('turns of processes are redelivered', ' AND o.holder IS NULL', '', { specs: CONTRACT }),
  leaseOf('jobs beyond the share of their tenant are considered', 'LIMIT greatest(least(p_per_tenant - held, p_limit), 0)', 'LIMIT p_limit', {
    equivalent:
      'take_place keeps the share, and what exceeds it has a rank behind every job that can be leased: it costs at most p_limit more rows, and changes no lease',
  }),
  lease('an expired lease is not found', 'o.leased AND o.not_before <= found_at', 'o.leased AND false', { specs: CONTRACT }),
  leaseOf('a lease that expired keeps its holder', 'not_before = lease_end, holder = NULL', 'not_before = lease_end', { specs: CONTRACT }),
  leaseOf('tenants are served in the order of their jobs', 'SELECT held + n FROM generate_series', 'SELECT 1 FROM generate_series', { specs: CONTRACT }),
  of('requeue_orphaned_turns')(
    'a turn with a job is orphaned',
    '    AND NOT EXISTS (SELECT FROM outbox o WHERE o.tenant_id = s.tenant_id AND o.turn_id = s.turn_id)\n',
    '',
    {
      specs: CONTRACT,
    },
  ),
  of('requeue_orphaned_turns')('a turn is orphaned at once', " - p_idle_ms * interval '1 millisecond'", '', { specs: CONTRACT }),
  of('end_abandoned_leases')('a process that is slow or frozen loses its turns', '      CONTINUE WHEN is_present(lease.holder::text);\n', '', {
    specs: ABANDONED,
  }),
  of('end_abandoned_leases')(
    'a process that has only lost its session loses its turns',
    " AND o.not_before < ended_at + (p_lease_ms - p_overdue_ms) * interval '1 millisecond'",
    '',
    { specs: ABANDONED },
  ),
  of('end_abandoned_leases')('leases of the queue are taken for those of processes', ' AND o.holder IS NOT NULL\n    LOOP', '\n    LOOP', { specs: ABANDONED }),
  of('is_present')('another process is taken for the one that is gone', ' AND l.objid = (hashtext(p_id)::bigint & 4294967295)::oid', '', { specs: ABANDONED }),
  of('next_lease_end')('the next lease to end is the last', 'min(o.not_before)', 'max(o.not_before)', { specs: CONTRACT }),
  of('has_pending_jobs')('every tenant has pending jobs', 'RETURN FOUND;', 'RETURN true;', { specs: CONTRACT }),
  of('chain_hash')('the chain does not cover the data', ' || digest\n', '\n', { specs: ['test/contract/tampering', 'test/contract/postgres'] }),
  of('chain_hash')('the chain does not cover the actor', "sha256(convert_to(actor, 'UTF8')) || ", '', {
    specs: ['test/contract/tampering', 'test/contract/postgres'],
  }),
  of('erased_since')('an erasure that is known counts', 'e.seq > k.version AND ', '', { specs: CONTRACT }),
  of('pending_leaves')('the feed shows what may still get a predecessor', ' AND e.xact_id < horizon', '', { specs: RACE }),
  of('prune_receipts')('receipts of any age are pruned', " - greatest(make_interval(secs => p_max_age_ms / 1000), interval '1 day')", '', { specs: CONTRACT }),
  of('guard_stream')('a version may fall', 'NEW.version > OLD.version AND ', '', { specs: ['test/guard/immutable'] }),
];
