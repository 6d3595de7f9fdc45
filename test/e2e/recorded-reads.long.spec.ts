import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { EXAMPLES, REQUIRED_QUERIES } from '../support/example-bodies.js';
import { startTestServer, type TestServer } from '../support/server.js';

const NIL = '00000000-0000-0000-0000-000000000000';

/** Callers who do not own a session, by how they came to read it. */
const READERS = ['editor', 'viewer', 'granted auditor', 'admin', 'auditor', 'reader', 'link', 'stranger'] as const;
type Reader = (typeof READERS)[number];

/** The role that the session gives. */
const GRANTED: Readonly<Record<string, string>> = { editor: 'editor', viewer: 'viewer', 'granted auditor': 'auditor' };

interface Caller {
  readonly client: Client;
  readonly userId: string;
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operation: UnknownObject;
}

/** Whatever route an answer with a word of another user's session came from, the session's log names who got it. */
describe('content that leaves a session', () => {
  let server: TestServer;
  let owner: Client;
  let user: (userName: string, role?: string) => Promise<Caller>;
  let callers: Readonly<Record<string, Caller>>;
  let operations: readonly Operation[];

  beforeAll(async () => {
    server = await startTestServer({ LINKS_PER_SESSION: '5' });
    const admin = server.client;
    user = async (userName, role = 'member') => {
      const { token, userId } = expectStatus(await admin.post('/v1/tokens', { userName, role }), 201).body;
      return { client: admin.as(token), userId: userId as string };
    };
    owner = (await user('owner')).client;
    callers = {
      stranger: await user('stranger'),
      admin: await user('admin too', 'admin'),
      auditor: await user('auditor', 'auditor'),
    };
    const { paths } = (await admin.get('/openapi.json')).body;
    operations = Object.entries<UnknownObject>(paths).flatMap(([path, item]) =>
      Object.entries<UnknownObject>(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
  });
  afterAll(() => server.stop());

  /** A session with the word in its title, its prompts, its files and its rewinds, and the caller with their right to it. */
  async function scene(reader: Reader) {
    const word = `zebra${randomUUID().slice(0, 8)}`;
    const id = await owner.session({ title: `title ${word}` });
    await owner.ask(id, `first ${word}`);
    await owner.ask(id, `second ${word}`);
    const prompts = (await owner.messages(id)).filter(({ type, isMeta }) => type === 'user' && isMeta !== true);
    expectStatus(await owner.post(`/v1/sessions/${id}/rewinds`, { before: prompts.at(-1).uuid }), 201);
    await owner.ask(id, `third ${word}`);
    const events = await owner.events(id);
    const data = (type: string) => events.findLast((event) => event.type === type)?.data;
    const newest = (await owner.messages(id)).filter(({ type, isMeta }) => type === 'user' && isMeta !== true).at(-1).uuid;
    const rewinds = (await owner.get(`/v1/sessions/${id}/rewinds`)).body.data;
    const branches = (await owner.get(`/v1/sessions/${id}/branches`)).body.data;
    const parameters: Readonly<Record<string, string>> = {
      id,
      chatId: id,
      turnId: data('turn.started').turnId,
      promptId: data('turn.started').promptId,
      requestId: data('request.sent').requestId,
      messageId: newest,
      uuid: newest,
      rewindId: rewinds[0].id,
      tip: branches.at(-1)?.tip ?? newest,
      principal: 'user:ann',
    };
    const bodies: Readonly<Record<string, unknown>> = {
      ...EXAMPLES,
      Prompt: { input: '/status' },
      Rewind: { before: newest },
      NewFeedback: { requestId: parameters['requestId'], rating: 1 },
      NewStreamTicket: { sessionId: id },
      UiChat: { id, messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: '/status' }] }] },
    };
    if (reader === 'link') {
      const { id: linkId, secret } = expectStatus(
        await owner.post(`/v1/sessions/${id}/links`, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() }),
        201,
      ).body;
      return { id, word, parameters, bodies, client: owner.as(secret), name: `link:${linkId}` };
    }
    const role = GRANTED[reader];
    // A user of this session alone: a list that is read at the same time shows all sessions of its caller, and records it in each.
    const { client, userId } = callers[reader] ?? (await user(randomUUID(), reader === 'reader' ? 'admin' : 'member'));
    if (role) expectStatus(await owner.call('PUT', `/v1/sessions/${id}/grants/user:${userId}`, { role }), 200);
    if (reader === 'reader') expectStatus(await client.post(`/v1/sessions/${id}/break-glass`, { reason: 'the walk' }), 200);
    return { id, word, parameters, bodies, client, name: `user:${userId}` };
  }

  type Scene = Awaited<ReturnType<typeof scene>>;

  /** The text of an answer; of a stream, what came until it was quiet. */
  async function textOf(client: Client, verb: string, target: string, body: unknown): Promise<string> {
    const controller = new AbortController();
    const response = await fetch(client.baseUrl + target, {
      method: verb,
      signal: controller.signal,
      headers: { authorization: `Bearer ${client.token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (/synced|\[DONE\]/.test(text)) break;
    }
    controller.abort();
    return text;
  }

  async function isRecorded({ id, name }: Scene, via: string | null = null): Promise<boolean> {
    const { data } = expectStatus(await owner.get(`/v1/sessions/${id}/accesses?limit=1000`), 200).body;
    return data.some((access: UnknownObject) => access.reader === name && (via === null || access.via === via));
  }

  const QUERIES: Readonly<Record<string, readonly string[]>> = { '/v1/sessions': ['?scope=own', '?scope=shared', '?scope=tenant'] };

  it.each(READERS)('is recorded: %s', async (reader) => {
    const leaks: string[] = [];
    const shown: string[] = [];
    const walk = operations.filter(({ operation }) => !['public', 'operator'].includes(operation['x-access']) || reader === 'link');
    const shared = await scene(reader);
    /** Whether the answer has the word. */
    const isShown = async ({ method, path, operation }: Operation, query: string, place: Scene): Promise<boolean> => {
      const target = path.replace(/\{(\w+)\}/g, (_, name: string) => place.parameters[name] ?? NIL) + query.replace('word', place.word);
      const schema = operation.requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1);
      return (await textOf(place.client, method, target, place.bodies[schema])).includes(place.word);
    };
    // What only reads is asked in one session first; where it shows something, and what changes a session, in one of its own.
    const visit = async (operation: Operation, query: string): Promise<void> => {
      const { method, path } = operation;
      const mayChange = reader === 'editor' && method !== 'GET';
      if (!mayChange && !(await isShown(operation, query, shared))) return;
      const place = await scene(reader);
      const before = await isRecorded(place);
      if (!(await isShown(operation, query, place))) return;
      shown.push(`${method} ${path}${query}`);
      if (before || !(await isRecorded(place))) leaks.push(`${method} ${path}${query}`);
    };
    const visits = walk.flatMap((operation) =>
      (QUERIES[operation.path] ?? [REQUIRED_QUERIES[operation.path] ?? '']).map((query) => [operation, query] as const),
    );
    for (let at = 0; at < visits.length; at += 8) await Promise.all(visits.slice(at, at + 8).map(([operation, query]) => visit(operation, query)));
    expect(leaks).toEqual([]);
    const sees = !['stranger', 'admin', 'auditor', 'granted auditor'].includes(reader);
    expect([reader, shown.length > 0]).toEqual([reader, sees]);
  });

  it('is recorded in the session that a fork was made of, whatever is read of the fork later', async () => {
    const place = await scene('editor');
    const { id } = expectStatus(await place.client.post(`/v1/sessions/${place.id}/forks`, {}), 201).body;
    expect(await textOf(place.client, 'GET', `/v1/sessions/${id}/export`, undefined)).toContain(place.word);
    expect(await isRecorded(place, 'fork')).toBe(true);
    expect((await owner.events(place.id)).at(-1)).toMatchObject({ type: 'session.accessed', data: { via: 'grant' } });
    expect((await owner.events(place.id)).filter(({ data }) => data.fork === id)).toHaveLength(1);
  });
});
