import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { Client, expectStatus, type UnknownObject } from './client.js';
import { REQUIRED_QUERIES } from './example-bodies.js';
import { image, PIXEL } from './normalize/build.js';
import type { Environment, TestServer } from './server.js';
import { call } from './tool-server.js';
import { until } from './until.js';

/* What suites of tenants that move have in common. */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface Ended {
  readonly status: number | null;
  readonly said: string;
}

/** `bin/verbatim` with these settings. `output`: the file that gets the standard output. `killedAfter`: how long the process may live. */
export const verbatim = (
  settings: Environment,
  args: readonly string[],
  { output, killedAfter }: { output?: string; killedAfter?: number } = {},
): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], DATABASE_TIMEOUT_MS: '60000', ...settings };
    const child = spawn(process.execPath, ['bin/verbatim', ...args], { cwd: ROOT, env, stdio: ['ignore', output ? openSync(output, 'w') : 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    if (killedAfter !== undefined) setTimeout(() => child.kill('SIGKILL'), killedAfter);
    child.once('close', (status) => resolve({ status, said }));
  });

/** What happens in a session of the tenant before it moves. */
export const DEEDS: Readonly<Record<string, (client: Client, id: string) => Promise<unknown>>> = {
  image: (client, id) => client.ask(id, [image(PIXEL), { type: 'text', text: 'look at the wallpaper' }]),
  fork: (client, id) => client.post(`/v1/sessions/${id}/forks`, {}),
  helper: (client, id) => client.ask(id, call('Agent', { description: 'a task', prompt: 'say hello' })),
  schedule: (client, id) => client.post(`/v1/sessions/${id}/schedules`, { input: 'by time', everySeconds: 86_400 }),
  grant: (client, id) => client.call('PUT', `/v1/sessions/${id}/grants/group:readers`, { role: 'viewer' }),
  link: (client, id) => client.post(`/v1/sessions/${id}/links`, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() }),
  hold: (client, id) => client.post(`/v1/sessions/${id}/hold`, { reason: 'case 17' }),
  memory: (client, id) => client.ask(id, call('memory', { command: 'create', path: `/memories/${id}.md`, file_text: 'the wallpaper is yellow' })),
  retention: (client, id) => client.call('PATCH', `/v1/sessions/${id}`, { retentionDays: 90, metadata: { kind: 'x' } }),
  archive: (client, id) => client.call('PATCH', `/v1/sessions/${id}`, { archived: true }),
  'revoked token': async (client) => {
    const { token, id } = (await client.post('/v1/tokens', { role: 'admin', name: 'of a program' })).body;
    await client.as(token).post('/v1/tokens', { role: 'member', name: 'that it has made' });
    return client.call('DELETE', `/v1/tokens/${id}`);
  },
  'erased message': async (client, id) => {
    const [first] = await client.messages(id);
    return client.call('DELETE', `/v1/sessions/${id}/messages/${first!.uuid}?reason=x`);
  },
  'erased session': (client, id) => client.call('DELETE', `/v1/sessions/${id}?reason=x&includeForks=true`),
};

/** In each run, so that every table has rows. */
export const ALL = [
  ['image', 'fork', 'helper', 'schedule', 'grant', 'link', 'retention', 'erased message'],
  ['memory', 'hold', 'archive', 'revoked token'],
  ['image', 'erased session'],
];

export interface FilledTenant {
  readonly name: string;
  readonly client: Client;
  readonly ids: readonly string[];
}

/** A new tenant with a session for each list of deeds. */
export async function fillTenant(server: TestServer, name: string, sessions: readonly (readonly string[])[]): Promise<FilledTenant> {
  const client = await server.tenant(name);
  expectStatus(await client.call('PATCH', '/v1/settings', { memory: true, upstreamKey: null }), 200);
  expectStatus(await client.post('/v1/tokens', { userName: 'bert', role: 'member', name: 'of bert' }), 201);
  const ids: string[] = [];
  for (const deeds of sessions) {
    const id = await client.session({ title: 'about wallpaper' });
    ids.push(id);
    await client.ask(id, 'a wallpaper, in two\u2028lines');
    for (const deed of deeds) {
      const { status } = (await DEEDS[deed]!(client, id)) as { readonly status?: unknown };
      expect({ deed, failed: typeof status === 'number' && status >= 500 }).toEqual({ deed, failed: false });
    }
  }
  await until('every turn is over', async () => (await client.get('/v1/sessions?status=running')).body.data.length === 0);
  return { name, client, ids };
}

/** What every GET route answers, without what is of the deployment: proofs of its log, and presence. */
export async function answersOf(client: Client, ids: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const { paths } = (await client.get('/openapi.json')).body;
  const found: Record<string, unknown> = {};
  const me = (await client.get('/v1/me')).body;
  for (const id of ids) {
    const [turn] = (await client.get(`/v1/sessions/${id}/turns`)).body.data ?? [];
    const [request] = (await client.get(`/v1/sessions/${id}/requests`)).body.data ?? [];
    const [message] = (await client.get(`/v1/sessions/${id}/messages?view=full`)).body.data ?? [];
    const [schedule] = (await client.get(`/v1/sessions/${id}/schedules`)).body.data ?? [];
    const sha256 = /[0-9a-f]{64}/.exec(JSON.stringify((await client.get(`/v1/sessions/${id}/messages?view=full`)).body))?.[0];
    const given: Readonly<Record<string, string>> = {
      id,
      chatId: id,
      userId: me.userId ?? me.user?.id,
      turnId: turn?.turnId ?? turn?.id,
      requestId: request?.requestId,
      sha256: sha256!,
      messageId: message?.uuid,
      scheduleId: schedule?.id,
    };
    for (const [route, { get }] of Object.entries<UnknownObject>(paths)) {
      const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
      if (
        !get ||
        !route.startsWith('/v1/') ||
        /stream$|^\/v1\/log\/|oidc/.test(route) ||
        names.some((name) => !given[name]) ||
        (names.length === 0 && id !== ids[0])
      )
        continue;
      const query = route === '/v1/search' ? '?q=wallpaper' : route === '/v1/sessions' ? '?scope=tenant' : (REQUIRED_QUERIES[route] ?? '');
      const { status, body } = await client.get(route.replaceAll(/\{(\w+)\}/g, (_, name: string) => given[name]!) + query);
      found[`${id} ${route}`] = { status, body: withoutPlace(body) };
    }
  }
  return found;
}

/** Commands of operators on one deployment. */
interface Commands {
  readonly run: (words: readonly string[]) => Promise<Ended>;
  /** Resolves to what it says; rejects when it fails. */
  readonly done: (words: readonly string[]) => Promise<string>;
}

/** A tenant that is not frozen is not exported; one that is frozen, also twice, is thawed, and is erased without a moment in which it accepts anything. */
export async function expectErasedAtOnce({ run, done }: Commands, { name, client, ids }: FilledTenant): Promise<void> {
  expect(await run(['export-tenant', name])).toMatchObject({ status: 1, said: expect.stringContaining('(tenant_not_frozen)') });
  await done(['freeze-tenant', name]);
  await done(['thaw-tenant', name]);
  await client.ask(ids[0]!, 'thawed');
  await done(['freeze-tenant', name]);
  await done(['freeze-tenant', name]);
  let isOver = false;
  const statuses = new Set<number>();
  const writing = (async () => {
    while (!isOver) statuses.add((await client.prompt(ids[0]!, 'too late')).status);
  })();
  await done(['erase-tenant', name, 'moved']);
  isOver = true;
  await writing;
  // Many attempts with a token that is gone get 429.
  expect([...statuses].filter((status) => ![401, 429, 503].includes(status))).toEqual([]);
  await until('all is erased', async () => (await done(['erase-tenant', name])).includes('"open":0,"remaining":0'));
  expect(await run(['freeze-tenant', 'no such tenant'])).toMatchObject({ status: 1, said: expect.stringContaining('(tenant_missing)') });
}

/** Each event is valid, and in the transparency log. */
export const audited = async (client: Client, ids: readonly string[]): Promise<void> => {
  for (const id of ids) {
    const audit = async (): Promise<UnknownObject> => (await client.get(`/v1/sessions/${id}/audit`)).body;
    await until('every event is in the transparency log', async () => (await audit()).transparencyLog?.events === (await audit()).events);
    expect(await audit()).toMatchObject({ valid: true, transparencyLog: { matches: true } });
  }
};

/** Members that are of a deployment or of the moment. */
const OF_PLACE = new Set(['instance', 'transparencyLog', 'checkpoint', 'proof', 'lastUsedAt', 'presence']);

function withoutPlace(body: unknown): unknown {
  if (typeof body === 'string') return body.split('\n').filter((line) => !line.includes('"type":"proof"'));
  if (Array.isArray(body)) return body.map(withoutPlace);
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).flatMap(([name, value]) => (OF_PLACE.has(name) ? [] : [[name, withoutPlace(value)]])));
}
