import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Edge } from './support/edge.js';
import { ADMIN } from './support/memory-ports.js';
import { GATE_DESCRIPTIONS } from '../../packages/protocol/gates.js';
import { DomainError } from '../../packages/protocol/errors.js';

describe('the routes', () => {
  let edge: Edge;
  let id: string;

  beforeAll(async () => {
    edge = await Edge.start();
  });
  afterAll(() => edge.stop());
  beforeEach(() => {
    id = edge.session();
    edge.commands.answer = ({ context }) => ({ id: context.sessionId, version: 7, replayed: false });
  });

  it('opens a session with defaults, and says where it is', async () => {
    const { status, headers, body } = await edge.client.post('/v1/sessions', { title: 'Sums' });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/v1/sessions/${body.id}`);
    expect(headers.get('etag')).toBe('"7"');
    expect(body).not.toHaveProperty('replayed');
    expect(edge.commands.last).toMatchObject({
      name: 'CreateSession',
      settings: { title: 'Sums', model: '', system: null, context: {}, systemContext: {}, permissionMode: 'default', tools: [], metadata: {} },
      context: { principal: ADMIN, expectedVersion: null },
    });
  });

  it('takes a session without any settings, with and without a body', async () => {
    expect((await edge.client.post('/v1/sessions', {})).status).toBe(201);
    expect((await edge.client.call('POST', '/v1/sessions')).status).toBe(201);
  });

  it('reads a session with its version as entity tag', async () => {
    const { status, headers, body } = await edge.client.get(`/v1/sessions/${id}`);
    expect([status, headers.get('etag'), body.version, body.id]).toEqual([200, '"1"', 1, id]);
    expect((await edge.client.get(`/v1/sessions/${id.toUpperCase()}`)).body.id).toBe(id);
  });

  it('sends each command what was asked', async () => {
    const message = randomUUID();
    const rewind = randomUUID();
    const cases: readonly (readonly [string, string, object, number, object])[] = [
      ['PATCH', '', { title: null, permissionMode: 'plan' }, 200, { name: 'ConfigureSession', changes: { title: null, permissionMode: 'plan' } }],
      ['POST', '/close', { reason: 'done' }, 200, { name: 'CloseSession', reason: 'done' }],
      ['POST', '/close', {}, 200, { name: 'CloseSession', reason: null }],
      ['POST', '/reopen', {}, 200, { name: 'ReopenSession' }],
      ['POST', '/interrupt', {}, 200, { name: 'Interrupt', reason: null }],
      ['DELETE', `/queue/${message}`, {}, 200, { name: 'WithdrawPrompt', promptId: message }],
      ['POST', '/rewinds', { before: message.toUpperCase() }, 201, { name: 'Rewind', target: { before: message }, reason: null, interrupt: false }],
      ['POST', '/rewinds', { after: message, reason: 'r', interrupt: true }, 201, { name: 'Rewind', target: { after: message }, reason: 'r', interrupt: true }],
      ['POST', `/rewinds/${rewind}/restore`, {}, 201, { name: 'Restore', rewindId: rewind }],
      [
        'POST',
        '/tool-results',
        { results: [{ toolUseId: 't', content: 'x', toolUseResult: { rows: 1 } }] },
        202,
        { name: 'PostToolResults', results: [{ toolUseId: 't', content: 'x', isError: false, toolUseResult: { rows: 1 } }] },
      ],
      [
        'POST',
        '/tool-decisions',
        { toolUseId: 't', decision: 'reject', feedback: ' no ' },
        202,
        { name: 'DecideTool', decision: { toolUseId: 't', decision: 'reject', feedback: 'no', updatedInput: null } },
      ],
      [
        'PATCH',
        '',
        { permissions: { deny: ['Bash(rm:*)'] } },
        200,
        { name: 'ConfigureSession', changes: { permissions: { allow: [], deny: ['Bash(rm:*)'], ask: [] } } },
      ],
      [
        'POST',
        '/prompts',
        { input: [{ type: 'text', text: ' a ' }], attachments: [{ z: 1, type: 'note' }], whenBusy: 'reject', uuid: message.toUpperCase() },
        202,
        {
          name: 'SubmitPrompt',
          submission: { input: [{ type: 'text', text: ' a ' }], attachments: [{ z: 1, type: 'note' }], mode: 'prompt' },
          terms: { whenBusy: 'reject', uuid: message },
        },
      ],
      [
        'POST',
        '/prompts',
        { input: 'a', replaces: message.toUpperCase() },
        202,
        { name: 'SubmitPrompt', submission: { input: 'a', mode: 'prompt' }, terms: { whenBusy: 'enqueue', replaces: { before: message, cause: 'edit' } } },
      ],
      ['POST', '/regenerate', {}, 202, { name: 'Regenerate', prompt: null, whenBusy: 'reject' }],
      ['POST', '/regenerate', { prompt: message.toUpperCase(), whenBusy: 'interrupt' }, 202, { name: 'Regenerate', prompt: message, whenBusy: 'interrupt' }],
      ['POST', `/branches/${message}/restore`, {}, 201, { name: 'RestoreBranch', tip: message }],
    ];
    for (const [method, path, body, status, command] of cases) {
      const answer = await edge.client.call(method, `/v1/sessions/${id}${path}`, method === 'DELETE' ? undefined : body);
      expect([method, path, answer.status]).toEqual([method, path, status]);
      expect(edge.commands.last).toMatchObject({ ...command, context: { sessionId: id, principal: ADMIN } });
      expect(answer.headers.get('etag')).toBe('"7"');
    }
  });

  it('keeps the order of members of an attachment', async () => {
    await edge.client.prompt(id, 'a', { attachments: [{ z: 1, type: 'note' }] });
    expect(Object.keys((edge.commands.last['submission'] as { attachments: object[] }).attachments[0]!)).toEqual(['z', 'type']);
  });

  it('says where to find a turn that was started', async () => {
    const turnId = randomUUID();
    edge.commands.answer = () => ({ version: 3, replayed: false, promptId: randomUUID(), disposition: 'started', turnId });
    const { headers } = await edge.client.prompt(id, 'hi');
    expect(headers.get('location')).toBe(`/v1/sessions/${id}/turns/${turnId}`);
  });

  it('says where hook runs are recorded', async () => {
    edge.commands.answer = () => ({ version: 9, replayed: false, outcomes: [{}, {}] });
    const { status, headers } = await edge.client.post(`/v1/sessions/${id}/hook-runs`, { event: 'PreToolUse', toolName: 'Bash' });
    expect([status, headers.get('location')]).toEqual([201, `/v1/sessions/${id}/events?after=7`]);
  });

  it('passes queries on with their defaults', async () => {
    const request = randomUUID();
    const CALLER = expect.objectContaining({ ...ADMIN });
    const cases: readonly (readonly [string, readonly unknown[]])[] = [
      ['/v1/sessions', ['list', CALLER, { userId: null, archived: false }, 50, null, 'own']],
      ['/v1/sessions?limit=3&cursor=abc', ['list', CALLER, { userId: null, archived: false }, 3, 'abc', 'own']],
      [`/v1/sessions/${id}/messages`, ['messages', CALLER, id, { view: 'transcript', split: false, tombstones: false, notes: false, after: 0, limit: 100 }]],
      [
        `/v1/sessions/${id}/messages?view=full&split=blocks&tombstones=true&limit=5&cursor=9`,
        ['messages', CALLER, id, { view: 'full', split: true, tombstones: true, notes: false, after: 9, limit: 5 }],
      ],
      [`/v1/sessions/${id}/events`, ['events', CALLER, id, 0, 100]],
      [`/v1/sessions/${id}/events?after=4&limit=2`, ['events', CALLER, id, 4, 2]],
      [`/v1/sessions/${id}/queue`, ['queue', CALLER, id]],
      [`/v1/sessions/${id}/prompts/${request.toUpperCase()}`, ['prompt', CALLER, id, request]],
      [`/v1/sessions/${id}/rewinds`, ['rewinds', CALLER, id]],
      [`/v1/sessions/${id}/branches`, ['branches', CALLER, id]],
      [`/v1/sessions/${id}/payload?model=m&at=2`, ['payload', CALLER, id, { model: 'm', at: 2 }]],
      [`/v1/sessions/${id}/requests`, ['requests', CALLER, id]],
      [`/v1/sessions/${id}/requests/${request}`, ['request', CALLER, id, request]],
      [`/v1/sessions/${id}/audit`, ['audit', CALLER, id]],
      [
        `/v1/sessions/${id}/messages?newest=true&limit=7`,
        ['messages', CALLER, id, { view: 'transcript', split: false, tombstones: false, notes: false, after: 'newest', limit: 7 }],
      ],
    ];
    for (const [path, asked] of cases) {
      expect((await edge.client.get(path)).status).toBe(200);
      expect(edge.queries.asked.at(-1)).toEqual(asked);
    }
  });

  it('normalizes without a session', async () => {
    const body = { messages: [{ role: 'user', content: 'x' }], gates: { advisor: true }, userContext: { a: 'b' } };
    expect((await edge.client.post('/v1/normalize', body)).status).toBe(200);
    expect(edge.queries.asked.at(-1)).toEqual(['normalize', body]);
  });

  it('tells who one is, and what is configured', async () => {
    const { link: _, signInId: __, ...shown } = ADMIN;
    expect((await edge.client.get('/v1/me')).body).toEqual({ ...shown, tenantName: 'a tenant', userName: 'a user', offline: true, breakGlassMinutes: 60 });
    expect((await edge.client.get('/v1/hooks')).body).toEqual({ data: [] });
    expect((await edge.client.get('/v1/commands')).body).toEqual({ data: [] });
    expect((await edge.client.get('/v1/skills')).body).toEqual({ data: [], problems: [] });
    expect((await edge.client.get('/v1/gates')).body.data).toContainEqual({
      name: 'advisor',
      enabled: false,
      source: 'default',
      description: GATE_DESCRIPTIONS.advisor,
    });
  });

  it('gives a repeat the first answer and says so', async () => {
    edge.commands.answer = ({ context }) => ({ id: context.sessionId, version: 1, replayed: true });
    const { headers, body } = await edge.client.post(`/v1/sessions/${id}/close`);
    expect(headers.get('idempotency-replayed')).toBe('true');
    expect(body).toEqual({ id, version: 1 });
  });

  it('names commands by their key: the same for the same user, key and request only', async () => {
    const send = async (
      key: string | null,
      path = '/v1/sessions',
      body: unknown = { title: 'a' },
      headers: Record<string, string> = {},
      token = 'vb_admin',
    ) => {
      await edge.client.as(token).call('POST', path, body, { ...(key === null ? {} : { 'idempotency-key': key }), ...headers });
      const { principal, ...context } = edge.commands.last.context;
      return { ...context, principal: { ...principal, now: 0 } };
    };
    const first = await send('k1');
    expect(await send('k1')).toEqual(first);
    expect(first.commandId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect((await send('k1', '/v1/sessions', { title: 'b' })).requestHash).not.toBe(first.requestHash);
    expect((await send('k1', '/v1/sessions', { title: 'b' })).commandId).toBe(first.commandId);
    expect((await send('k1', `/v1/sessions/${id}/close`, {})).requestHash).not.toBe(first.requestHash);
    expect((await send('k1', '/v1/sessions', { title: 'a' }, { 'if-match': '"1"' })).requestHash).not.toBe(first.requestHash);
    expect((await send('k2')).commandId).not.toBe(first.commandId);
    expect((await send('k2')).sessionId).not.toBe(first.sessionId);
    expect((await send('k1', '/v1/sessions', { title: 'a' }, {}, 'vb_member')).commandId).not.toBe(first.commandId);
    expect((await send(null)).commandId).not.toBe((await send(null)).commandId);
  });

  it('passes the expected version of a write on, and rejects an invalid one', async () => {
    const send = (tag: string) => edge.client.call('PATCH', `/v1/sessions/${id}`, { title: 'x' }, { 'if-match': tag });
    expect((await send('"12"')).status).toBe(200);
    expect(edge.commands.last.context.expectedVersion).toBe(12);
    expect((await send('*')).status).toBe(200);
    expect(edge.commands.last.context.expectedVersion).toBeNull();
    for (const tag of ['12', 'W/"12"', '"a"', '"1", "2"']) {
      expect((await send(tag)).body).toMatchObject({ status: 400, code: 'invalid_input', errors: [{ pointer: 'If-Match' }] });
    }
  });

  it('hands the workload tag to the command', async () => {
    await edge.client.prompt(id, 'hi');
    expect(edge.commands.last.context).not.toHaveProperty('workload');
    await edge.client.post(`/v1/sessions/${id}/prompts`, { input: 'hi' }, { 'x-workload': 'nightly' });
    expect(edge.commands.last).toMatchObject({ context: { workload: 'nightly' }, submission: { workload: 'nightly' } });
    for (const tag of ['two words', 'x'.repeat(129)]) {
      const rejected = await edge.client.post(`/v1/sessions/${id}/prompts`, { input: 'hi' }, { 'x-workload': tag });
      expect(rejected.body).toMatchObject({ status: 400, code: 'invalid_input', errors: [{ pointer: 'X-Workload' }] });
    }
  });

  it('answers every problem with its status, code, title and details', async () => {
    edge.commands.answer = () => {
      throw new DomainError('version_conflict', 'The session is at version 9.', [], { version: 9 });
    };
    const { status, headers, body } = await edge.client.post(`/v1/sessions/${id}/close`, {}, { 'x-request-id': 'mine' });
    expect(status).toBe(412);
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(headers.get('x-request-id')).toBe('mine');
    expect(headers.get('etag')).toBeNull();
    expect(body).toEqual({
      type: '/problems/version_conflict',
      title: 'What was read has been changed since',
      status: 412,
      detail: 'The session is at version 9.',
      code: 'version_conflict',
      instance: 'mine',
      version: 9,
    });
  });

  it('hides what went wrong on our side, and logs it', async () => {
    edge.commands.answer = () => {
      throw new TypeError('secret detail');
    };
    const { status, body, headers } = await edge.client.post(`/v1/sessions/${id}/close`);
    expect(status).toBe(500);
    expect(body).toEqual({
      type: '/problems/internal_error',
      title: expect.any(String),
      status: 500,
      code: 'internal_error',
      instance: headers.get('x-request-id'),
    });
    expect(JSON.stringify(edge.log.lines.map(([error]) => String((error as Error).message)))).toContain('secret detail');
  });

  it('gives ids that are none the very answer of unknown ones', async () => {
    const strip = ({ instance: _, ...rest }: Record<string, unknown>) => rest;
    const unknown = (await edge.client.get(`/v1/sessions/${randomUUID()}`)).body;
    for (const odd of ['1', 'not-a-uuid', '%00', '..%2f..', '%F0%9F%A7%B5', 'x'.repeat(2_000)]) {
      const { status, body } = await edge.client.get(`/v1/sessions/${odd}`);
      expect([odd.slice(0, 9), status]).toEqual([odd.slice(0, 9), 404]);
      expect(strip(body)).toEqual(strip(unknown));
    }
  });

  it('says of unknown routes and methods that there is none', async () => {
    for (const [method, path] of [
      ['GET', '/nothing'],
      ['PUT', `/v1/sessions/${id}/forks`],
      ['PUT', '/v1/sessions'],
      ['PUT', `/v1/sessions/${id}`],
      ['GET', '/v1/nothing'],
    ] as const) {
      expect((await edge.client.call(method, path)).body).toMatchObject({ status: 404, code: 'not_found' });
    }
  });

  it('answers an address that cannot be decoded', async () => {
    const { status, headers, body } = await edge.client.get('/v1/sessions/%E0%A4%A');
    expect([status, body.code]).toEqual([400, 'invalid_input']);
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });
});
