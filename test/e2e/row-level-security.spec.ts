import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { REQUIRED_QUERIES } from '../support/example-bodies.js';
import { Client, expectStatus, type UnknownObject } from '../support/client.js';
import { image, PIXEL } from '../support/normalize/build.js';
import { openDatabase } from '../support/postgres-store.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { call } from '../support/tool-server.js';

/** Tables without rows of tenants. */
const COMMON: Readonly<Record<string, string>> = {
  'public._prisma_migrations': 'names of migrations; the application cannot read it',
  'public.task_lease': 'names of tasks and of processes',
  'public.tlog_tile': 'hashes, which everybody may read',
  'public.tlog_checkpoint': 'hashes, which everybody may read',
  'public.tlog_anchor': 'where checkpoints are',
  'public.tlog_key': 'a key of the operator',
};

/** Jobs of the queue are ids; the schema is a package's. */
const QUEUE = 'bullmq';

/** What the application can do beyond one tenant, or with the rights of the owner. A new one is reviewed here. */
const WITH_RIGHTS_OF_OWNER = {
  'writes for a session of the tenant that is named': [
    'add_to_totals',
    'append_batch',
    'append_events',
    'count_usage',
    'end_helper',
    'erase_content',
    'hold_session',
    'keep_data_key',
    'orphan_helpers',
    'plan_run',
    'project_session',
    'retain_session',
    'share_session',
    'start_helper',
  ],
  'writes the settings of the tenant that the transaction has set': ['change_settings'],
  'writes and erases the memory of a user, of the tenant that the transaction has set': ['erase_memory', 'record_memory'],
  'which of the given sessions have an erasure': ['erased_since'],
  'jobs and turns, which are ids': [
    'claim_turn',
    'end_abandoned_leases',
    'end_reachable_leases',
    'expired_waits',
    'lease_jobs',
    'lease_reachable_jobs',
    'leased_turns',
    'next_lease_end',
    'next_reachable',
    'next_schedule_run',
    'reachable_expired_waits',
    'reachable_leased_turns',
    'redeliver_jobs',
    'redeliver_reachable_jobs',
    'release_turns',
    'renew_turns',
    'requeue_orphaned_turns',
    'requeue_reachable_turns',
  ],
  'whether a process lives': ['is_present'],
  'where the rows of the given tenants are': ['node_of', 'reachable_tenants'],
  'where the bytes of a file of the tenant that is named lie': ['move_blob'],
  'the log of the session of the tenant that is named, between its table and object storage: only what was there, or was archived': [
    'archive_log',
    'restore_log',
  ],
  'what is due, as ids': [
    'archived_logs',
    'blobs_in_database',
    'claim_reachable_removals',
    'claim_removals',
    'cold_sessions',
    'due_schedules',
    'expired_sessions',
    'is_held',
    'open_erasures',
    'open_helpers',
    'prune_reachable_receipts',
    'prune_receipts',
    'reachable_cold_sessions',
    'reachable_due_schedules',
    'reachable_expired_sessions',
    'reachable_helpers',
    'reachable_unfinished_erasures',
    'reachable_user_erasures',
    'unfinished_erasures',
  ],
  numbers: [
    'count_tenants',
    'find_plain_sessions',
    'read_archives',
    'read_backlog',
    'read_nodes',
    'read_reachable_archives',
    'read_reachable_backlog',
    'read_reachable_removals',
    'read_removals',
  ],
  'hashes and tasks': ['end_lease', 'extend_tlog', 'keep_progress', 'pending_leaves', 'read_progress', 'runs_between', 'take_lease'],
  'wrapped keys': ['keys_to_rewrap', 'rewrap_keys'],
  'ids of sessions, for the audit': ['reachable_sessions', 'sessions_after'],
};

const VIEWS = ['fork_of_tenant', 'metadata_of_tenant', 'search_text_of_tenant'];

/** In every text of the tenant that is to stay hidden. */
const SECRET = 'wallpaper';

let server: TestServer;
/** A server on the same database without the checks of the application: every caller may do everything, and no statement has a condition on the tenant. */
let unchecked: TestServer;
let owner: pg.Client;
let app: pg.Client;
let theirs: Client;
let values: Readonly<Record<string, string>>;
let restore: () => void = () => {};

/** Every `tenant_id = $n` of every statement that this process sends from now on is true. */
function withoutConditions(): () => void {
  const prototype = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: pg.Client, config: unknown, ...rest: unknown[]) {
    const statement = config as { text?: string; name?: string };
    if (typeof statement === 'object' && statement.text !== undefined) {
      const text = statement.text.replaceAll(/(?:[\w"]+\.)*"?tenant_id"? = (\$\d+)(::uuid)?/g, '$1::uuid IS NOT NULL');
      if (text !== statement.text) Object.assign(statement, { text }, statement.name ? { name: `${statement.name}_open` } : {});
    }
    return query.call(this, config, ...rest);
  };
  return () => (prototype.query = query);
}

beforeAll(async () => {
  server = await startTestServer();
  const admin = await server.tenant('hidden');
  theirs = admin.as(expectStatus(await admin.post('/v1/tokens', { userName: `${SECRET} bert`, role: 'admin', name: `${SECRET} token` }), 201).body.token);
  const id = await theirs.session({ title: `${SECRET} title`, metadata: { kind: SECRET } });
  const turn = await theirs.ask(id, [image(PIXEL), { type: 'text', text: `${SECRET} prompt` }]);
  expectStatus(await theirs.call('PUT', `/v1/sessions/${id}/grants/group:${SECRET}`, { role: 'viewer' }), 200);
  expectStatus(await theirs.post(`/v1/sessions/${id}/links`, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() }), 201);
  const scheduled = expectStatus(await theirs.post(`/v1/sessions/${id}/schedules`, { input: `${SECRET} by time`, everySeconds: 86_400 }), 201).body.schedule;
  expectStatus(await theirs.call('PATCH', '/v1/settings', { memory: true }), 200);
  expectStatus(await theirs.call('PUT', `/v1/sessions/${id}/pin`), 204);
  const remembered = call('memory', { command: 'create', path: '/memories/notes.md', file_text: `${SECRET} is remembered` });
  await theirs.ask(await theirs.session(), remembered);
  const threaded = { model: 'claude-opus-4-5', max_tokens: 100, messages: [{ role: 'user', content: `${SECRET} thread` }], thread: { type: 'create' } };
  const door = { method: 'POST', headers: { 'content-type': 'application/json', 'x-api-key': theirs.token! }, body: JSON.stringify(threaded) };
  expect((await fetch(`${server.running.url}/anthropic/v1/messages`, door)).status).toBe(200);
  const me = (await theirs.get('/v1/me')).body;
  const messages = (await theirs.get(`/v1/sessions/${id}/messages`)).body.data;
  const sha256 = /[0-9a-f]{64}/.exec(JSON.stringify(messages))![0];
  values = {
    id,
    chatId: id,
    scheduleId: scheduled.id,
    userId: me.userId ?? me.user.id,
    turnId: turn.id ?? turn.turnId,
    requestId: turn.requests[0].requestId,
    sha256,
    messageId: messages[0].uuid,
  };

  unchecked = await startTestServer({}, server.database, server.client.token);
  const accounts = unchecked.running.accounts as { principal: (...given: unknown[]) => Promise<object | null> };
  const principal = accounts.principal.bind(accounts);
  accounts.principal = async (...given) => {
    const found = await principal(...given);
    return found && { ...found, role: 'system', userId: values['userId'] }; // reads of an owner need no entry in the access ledger, which would be refused
  };
  restore = withoutConditions();
  [owner, app] = await Promise.all([connect(server.database.ownerUrl, 60_000), connect(server.database.appUrl, 60_000)]);
});
afterAll(async () => {
  await Promise.all([owner?.end(), app?.end()]);
  await unchecked?.stop();
  restore();
  await server?.stop();
});

/** Every GET route that does not stream, asked by another tenant for what is hidden: the answers that show some of it, and the status of those about the session. */
async function asked(): Promise<{ readonly shown: Readonly<Record<string, string>>; readonly statuses: readonly (readonly [string, number])[] }> {
  const caller = new Client(unchecked.running.url, server.client.token);
  const { paths } = (await caller.get('/openapi.json')).body;
  const shown: Record<string, string> = {};
  const statuses: [string, number][] = [];
  for (const [path, { get }] of Object.entries<UnknownObject>(paths)) {
    if (!get || !path.startsWith('/v1/') || /stream$|^\/v1\/log\/|oidc/.test(path)) continue;
    const query = path === '/v1/search' ? `?q=${SECRET}` : path === '/v1/sessions' ? '?scope=tenant' : (REQUIRED_QUERIES[path] ?? '');
    const response = await fetch(caller.baseUrl + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name]!) + query, {
      headers: { authorization: `Bearer ${caller.token}` },
    });
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
    const isBlob = get.operationId === 'getBlob' && response.status === 200;
    if (text.includes(SECRET) || isBlob) shown[get.operationId] = `${response.status} ${text.slice(0, 200)}`;
    if (path.includes('{id}')) statuses.push([path, response.status]);
  }
  return { shown, statuses };
}

const eachTable = async (statement: string): Promise<void> => {
  const { rows } = await owner.query<{ name: string }>("SELECT DISTINCT tablename AS name FROM pg_policies WHERE schemaname = 'public'");
  for (const { name } of rows) await owner.query(`ALTER TABLE ${name} ${statement}`);
};

describe('with the checks and the conditions of the application taken out', () => {
  it('the database alone hides another tenant: sessions, events, messages, files, search, users, tokens, grants', async () => {
    const { shown, statuses } = await asked();
    expect(shown).toEqual({});
    expect(statuses).toEqual(statuses.map(([path]) => [path, 404]));
  });

  it('it accepts nothing for a session of another tenant', async () => {
    const caller = new Client(unchecked.running.url, server.client.token);
    const before = (await owner.query('SELECT version FROM stream WHERE session_id = $1', [values['id']])).rows;
    for (const [method, path, body] of [
      ['POST', '/prompts', { input: 'x' }],
      ['PATCH', '', { title: 'x' }],
      ['PUT', '/grants/user:x', { role: 'viewer' }],
      ['POST', '/erase', { reason: 'x' }],
    ] as const) {
      expect((await caller.call(method, `/v1/sessions/${values['id']}${path}`, body)).status).toBe(404);
    }
    expect((await owner.query('SELECT version FROM stream WHERE session_id = $1', [values['id']])).rows).toEqual(before);
  });

  it('without the policies they are shown: the checks are out', async () => {
    const { rows } = await owner.query<{ definition: string }>("SELECT pg_get_viewdef('search_text_of_tenant') AS definition");
    const { definition } = rows[0]!;
    const replaceView = (by: string) => owner.query(`CREATE OR REPLACE VIEW search_text_of_tenant AS ${by}`);
    await replaceView(definition.replace(/WHERE[^]*$/, ''));
    await eachTable('DISABLE ROW LEVEL SECURITY');
    const { shown } = await asked().finally(async () => {
      await replaceView(definition);
      await eachTable('ENABLE ROW LEVEL SECURITY');
    });
    const some = ['listSessions', 'searchSessions', 'listUsers', 'listTokens', 'getMemoryContent'];
    expect(some.filter((operation) => !(operation in shown))).toEqual([]);
    // The hashes of a log cover its tenant: nothing is made of it for another one.
    const ofLogs = ['getSession', 'listMessages', 'listEvents', 'exportSession', 'listGrants'];
    expect(ofLogs.filter((operation) => operation in shown)).toEqual([]);
  });
});

describe('the policies', () => {
  const unprotected = async (): Promise<readonly string[]> => {
    const { rows } = await owner.query<{ name: string; schema: string }>(
      `SELECT n.nspname AS schema, n.nspname || '.' || c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'p', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
         AND NOT (c.relrowsecurity AND (SELECT array_agg(p.cmd || ' ' || p.permissive || ' ' || p.roles::text || ' ' || p.qual || coalesce(p.with_check, '')) FROM pg_policies p
           WHERE p.schemaname = n.nspname AND p.tablename = c.relname) = ARRAY['ALL PERMISSIVE {verbatim_app} (tenant_id = current_tenant())'])
       ORDER BY 2`,
    );
    return rows.flatMap(({ name, schema }) => (schema === QUEUE ? [] : name));
  };

  it('are on every table with rows of tenants', async () => {
    expect(await unprotected()).toEqual(Object.keys(COMMON).sort());
    await owner.query(
      'BEGIN; CREATE TABLE stray (tenant_id uuid); ALTER TABLE receipt DISABLE ROW LEVEL SECURITY; CREATE POLICY more ON event TO verbatim_app USING (true)',
    );
    expect(await unprotected()).toEqual([...Object.keys(COMMON), 'public.event', 'public.receipt', 'public.stray'].sort());
    await owner.query('ROLLBACK');
  });

  it('apply to the role of the application, which beyond them has these functions and views', async () => {
    const { rows: roles } = await owner.query("SELECT rolsuper OR rolbypassrls AS exempt FROM pg_roles WHERE rolname = 'verbatim_app'");
    expect(roles).toEqual([{ exempt: false }]);
    const { rows: functions } = await owner.query<{ proname: string }>(
      "SELECT proname FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace AND has_function_privilege('verbatim_app', oid, 'EXECUTE') ORDER BY 1",
    );
    expect(functions.map(({ proname }) => proname)).toEqual(Object.values(WITH_RIGHTS_OF_OWNER).flat().sort());
    const { rows: views } = await owner.query<{ viewname: string; definition: string }>(
      "SELECT viewname, definition FROM pg_views WHERE schemaname = 'public' ORDER BY 1",
    );
    expect(views.map(({ viewname }) => viewname)).toEqual(VIEWS);
    for (const { definition } of views) expect(definition).toContain('tenant_id = current_tenant()');
  });

  it('functions that follow an append change nothing of a session of another tenant', async () => {
    const session = values['id'];
    const { rows } = await owner.query<{ id: string; own: string }>(
      'SELECT t.tenant_id::text AS id, s.tenant_id AS own FROM tenant t, stream s WHERE s.session_id = $1 AND t.tenant_id <> s.tenant_id',
      [session],
    );
    const [tenant] = rows;
    const state = async (): Promise<unknown> =>
      (
        await owner.query(
          `SELECT (SELECT to_jsonb(s) FROM session s WHERE s.tenant_id = $2 AND s.session_id = $1), (SELECT to_jsonb(s) FROM session_summary s WHERE s.tenant_id = $2 AND s.session_id = $1),
             (SELECT jsonb_agg(to_jsonb(t) ORDER BY t.message_id) FROM search_text t WHERE t.tenant_id = $2 AND t.session_id = $1), (SELECT jsonb_agg(to_jsonb(g) ORDER BY g.principal) FROM session_grant g WHERE g.tenant_id = $2 AND g.session_id = $1),
             (SELECT jsonb_agg(to_jsonb(h)) FROM legal_hold h WHERE h.tenant_id = $2 AND h.session_id = $1), (SELECT jsonb_agg(to_jsonb(r)) FROM session_retention r WHERE r.tenant_id = $2 AND r.session_id = $1),
             (SELECT jsonb_agg(to_jsonb(c)) FROM session_schedule c WHERE c.tenant_id = $2 AND c.session_id = $1)`,
          [session, tenant!.own],
        )
      ).rows;
    const before = await state();
    for (const [call, ...more] of [
      ["share_session('appended', $1, $2, gen_random_uuid(), '{}', '{}')"],
      ["share_session('appended', $1, $2, gen_random_uuid(), '{user:x}', '{owner}')"],
      ["hold_session('appended', $1, $2, true)"],
      ["retain_session('appended', $1, $2, 1)"],
      ["retain_session('appended', $1, $2, null)"],
      ["plan_run('appended', $1, $2, $3, now())", values['scheduleId']],
      ["plan_run('appended', $1, $2, $3, null)", values['scheduleId']],
      [
        `project_session('appended', now(), $1, $2, gen_random_uuid(), '{"messages":1,"moved":true,"usage":null,"archived":true,"metadata":null}', 'simple', '{}', '{}', '{}', ARRAY[$3::uuid], '{}')`,
        values['messageId'],
      ],
    ] as const) {
      await app.query(`SELECT ${call}`, [tenant!.id, session, ...more]);
      expect([call, await state()]).toEqual([call, before]);
    }
  });

  it('show nothing and accept nothing where no tenant is set', async () => {
    const { rows } = await owner.query<{ name: string }>("SELECT tablename AS name FROM pg_policies WHERE schemaname = 'public' ORDER BY 1");
    const filled: string[] = [];
    for (const { name } of rows) {
      if ((await owner.query(`SELECT 1 FROM ${name} LIMIT 1`)).rowCount === 1) filled.push(name);
      expect([name, (await app.query(`SELECT 1 FROM ${name} LIMIT 1`)).rowCount]).toEqual([name, 0]);
    }
    expect(filled).toEqual(
      expect.arrayContaining([
        'app_user',
        'blob',
        'event',
        'memory_change',
        'receipt',
        'search_text',
        'session',
        'session_grant',
        'session_link',
        'session_pin',
        'session_schedule',
        'tenant_setting_change',
        'thread_answer',
        'usage',
      ]),
    );
    for (const view of VIEWS) expect((await app.query(`SELECT 1 FROM ${view} LIMIT 1`)).rowCount).toBe(0);
    await expect(app.query("INSERT INTO tenant (tenant_id, name) VALUES (gen_random_uuid(), 'x')")).rejects.toMatchObject({ code: '42501' });
  });

  it('leave no tenant on a connection, also after an error and in a transaction', async () => {
    const database = openDatabase(server.database.appUrl, { poolSize: 1 });
    const { rows } = await owner.query<{ id: string }>('SELECT tenant_id::text AS id FROM tenant');
    const seen = (): Promise<readonly { readonly id: string }[]> => database.run((client) => client.$queryRaw`SELECT tenant_id::text AS id FROM tenant`);
    try {
      for (const { id } of rows) {
        const mine = () => database.inTenant(id, (client) => client.$queryRaw`SELECT tenant_id::text AS id FROM tenant`);
        expect(await mine()).toEqual([{ id }]);
        expect(await seen()).toEqual([]);
        await expect(database.inTenant(id, (client) => client.$queryRaw`SELECT 1 / count(*) FROM event WHERE false`)).rejects.toThrow('division by zero');
        expect(await seen()).toEqual([]);
        expect(await database.inTenant(id, (_, prepared) => prepared.query({ text: 'SELECT tenant_id::text AS id FROM tenant', values: [] }))).toEqual([
          { id },
        ]);
        expect(await database.inTenant(id, (_, prepared) => prepared.query({ text: 'SELECT tenant_id::text AS id FROM tenant', values: [] }))).toEqual([
          { id },
        ]);
        expect(await seen()).toEqual([]);
      }
      // More at once than connections: each waits for one in the context of another.
      const all = await Promise.all(
        [...rows, ...rows, ...rows].map(({ id }) =>
          database.inTenant(id, (client) => client.$queryRaw<object[]>`SELECT tenant_id::text = ${id} AS mine FROM tenant`),
        ),
      );
      expect(all.flat()).toEqual(all.map(() => ({ mine: true })));
    } finally {
      await database.close();
    }
  });
});
