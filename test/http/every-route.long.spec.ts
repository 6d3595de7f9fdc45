import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SESSION_ACTIONS, TENANT_ACTIONS, type TenantAction } from '../../packages/protocol/access/actions.js';
import type { Client, UnknownObject } from '../support/client.js';
import { until } from '../support/until.js';
import { EXAMPLES, REQUIRED_QUERIES } from '../support/example-bodies.js';
import { startTestServer, type TestServer } from '../support/server.js';

/** What callers send by mistake, or to see what happens. */
const BODIES: readonly unknown[] = [
  { id: 'c', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: '{{say hi}}' }] }] },
  { id: 'c', messages: [{ id: 'm', role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,zz' }] }] },
  { id: 'c', messages: [{ role: 'assistant', parts: [{ toolCallId: 't', approval: { id: 't', approved: true } }] }] },
  { id: '\u0000\ud800', messages: [{ id: '\u0000', role: 'user', parts: [{ type: 'text', text: '\ud800' }] }], trigger: 'regenerate-message' },
  undefined,
  {},
  [],
  '',
  'x',
  '"s"',
  { input: ' ' },
  { input: '{{say hi}}' },
  { input: [] },
  { input: [{ type: 'image', source: {} }] },
  { input: 'ls', mode: 'bash' },
  { input: '[Image #1]', pastedContents: { '1': { type: 'image', content: 'zz' } } },
  { messages: [] },
  { messages: [{ role: 'user' }] },
  { messages: [{ role: 'user', content: 'x' }], model: 'no-such-model' },
  { messages: [{ role: 'user', content: 'x' }], gates: { none: true } },
  { messages: [{ role: 'user', content: [{ type: 'image' }, { type: 'tool_result' }, { type: 'text' }] }] },
  { before: '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e' },
  { after: '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e', interrupt: true },
  { title: '🧵'.repeat(500), model: 'zzz' },
  { system: '\u0000\ud800', context: { a: '\u0000' }, metadata: { a: '\u0000\ud83d' } },
  { results: [{ toolUseId: 'a', content: 'b' }] },
  { toolUseId: 'a', decision: 'allow' },
  { toolUseId: 'a', decision: 'reject', feedback: 'x', updatedInput: {} },
  { permissions: { deny: ['Bash(', '\u0000'] } },
  { event: 'Stop' },
  { at: '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e', title: 'a fork' },
  { instructions: 'Be \u0000 \ud800 brief.' },
  { instructions: null, autoCompact: false },
  { autoCompact: false },
  { gates: { ultraplan: true }, skills: { a: false }, instructions: '\u0000\ud800', permissions: { deny: ['Bash'] } },
  { gates: JSON.parse('{"__proto__": true}'), hooks: { Stop: [{ hooks: [{ type: 'http', url: 'https://127.0.0.1' }] }] } },
  {
    hooks: { Stop: [{ matcher: 'x', hooks: [{ type: 'http', url: 'https://hooks.invalid', headers: { a: '•••' } }] }] },
    mcpServers: { a: { url: 'nowhere' } },
  },
  { event: 'PreToolUse', toolName: 'Bash', toolInput: { command: 'ls' }, input: { session_id: 'x' } },
  { requestId: '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e', rating: 1 },
  { name: 't', userName: 'new 🧵', expiresAt: '9999-12-31T23:59:59Z' },
  { name: 't', expiresAt: '2999-02-30T23:59:59Z' },
];

const QUERIES = [
  '',
  '?limit=1',
  '?cursor=garbage',
  '?cursor=0',
  '?cursor=99999999',
  '?after=99999999',
  '?view=full&split=blocks&tombstones=true',
  '?at=1',
  '?at=999',
  '?model=zzz',
  '?wait=0',
];

const CONDITIONS: readonly Readonly<Record<string, string>>[] = [{}, { 'if-match': '"9999"' }];

describe('every route of the whole server', () => {
  let server: TestServer;
  let client: Client;
  let operations: readonly { readonly method: string; readonly path: string; readonly operation: UnknownObject }[];
  let sessionId: string;

  beforeAll(async () => {
    server = await startTestServer();
    client = server.client;
    const { paths } = (await client.get('/openapi.json')).body;
    operations = Object.entries<UnknownObject>(paths).flatMap(([path, item]) =>
      Object.entries<UnknownObject>(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
    sessionId = await client.session();
    await client.ask(sessionId, 'hello');
    await until('events are in the transparency log', async () => (await client.get('/v1/log/consistency?from=1')).status === 200);
  });
  afterAll(() => server.stop());

  const pathsOf = (path: string, id = sessionId): readonly string[] =>
    [id, 'none', '00000000-0000-0000-0000-000000000000'].map((named) =>
      path
        .replace('{id}', named)
        .replace('{principal}', 'user:none')
        .replace(/\{\w+\}/g, 'none'),
    );

  it('answers whatever it is sent as its documentation says, and never breaks', async () => {
    // A closed session would reject all that follows; a stream does not end.
    const walked = operations.filter(({ path }) => !/\/(?:close|stream)$/.test(path));
    expect(walked.length).toBeGreaterThan(25);
    const surprises = await Promise.all(walked.map(walk));
    expect(surprises.flat()).toEqual([]);
  });

  /** Sends one route everything, in its own session; what it answers beyond its documentation. */
  async function walk({ method, path, operation }: (typeof operations)[number]): Promise<readonly unknown[]> {
    const own = await client.session();
    const reads = method === 'GET';
    const bodies = /POST|PUT|PATCH/.test(method) ? BODIES : [undefined];
    const surprises: unknown[] = [];
    for (const target of new Set(pathsOf(path, own))) {
      for (const body of bodies) {
        for (const query of reads ? QUERIES : ['']) {
          for (const headers of reads ? [{}] : CONDITIONS) {
            const answer = await client.call(method, target + query, body, headers);
            const documented =
              answer.status < 400
                ? String(answer.status) in operation.responses
                : operation['x-problem-codes'].includes(answer.body.code) && answer.body.status === answer.status && answer.status < 500;
            if (!documented) surprises.push([method, target + query, body, answer.status, answer.body]);
          }
        }
      }
    }
    return surprises;
  }

  it('admits exactly the callers that its documented access names', async () => {
    const member = client.as((await client.post('/v1/tokens', { userName: 'another' })).body.token);
    // The stream of all sessions does not end.
    for (const { method, path, operation } of operations.filter((candidate) => candidate.path !== '/v1/events/stream')) {
      const access: string = operation['x-access'];
      const target =
        path
          .replace('{id}', sessionId)
          .replace('{principal}', 'user:none')
          .replace(/\{\w+\}/g, 'none') + (REQUIRED_QUERIES[path] ?? '');
      const body = EXAMPLES[operation.requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1)];
      const proxied = { 'x-forwarded-for': '203.0.113.9' };
      const status = async (caller: Client): Promise<number> => {
        const answer = await caller.call(method, target, body, proxied);
        // Past the guard: the token or tile in the path does not exist, an import takes another media type, and the code of the link is wrong.
        return !(access in SESSION_ACTIONS) && ['not_found', 'session_not_found', 'unsupported_media_type', 'sign_in_rejected'].includes(answer.body?.code)
          ? 200
          : answer.status < 300
            ? 200
            : answer.status;
      };
      const seen = {
        anonymous: await status(client.as(null)),
        invalid: await status(client.as('vb_unknown')),
        member: await status(member),
      };
      expect([method, path, access, seen]).toEqual([method, path, access, expected(access)]);
    }
  });

  it('shows nothing of a session to another tenant, nor to another member of the same', async () => {
    const outsider = await server.tenant('another tenant');
    const member = client.as((await client.post('/v1/tokens', { userName: 'member' })).body.token);
    const before = await client.events(sessionId);
    const strip = ({ instance: _, ...rest }: UnknownObject) => rest;
    for (const { method, path, operation } of operations.filter((candidate) => candidate.path.includes('{id}'))) {
      const body = operation.requestBody?.content['application/json'].schema.$ref.split('/').at(-1);
      const target = (id: string) =>
        path
          .replace('{id}', id)
          .replace('{principal}', 'user:none')
          .replace(/\{\w+\}/g, 'none') + (REQUIRED_QUERIES[path] ?? '');
      for (const other of [outsider, member]) {
        const foreign = await other.call(method, target(sessionId), EXAMPLES[body]);
        const unknown = await other.call(method, target('00000000-0000-0000-0000-000000000001'), EXAMPLES[body]);
        expect([method, path, foreign.status, foreign.body.code]).toEqual([method, path, 404, 'session_not_found']);
        expect(strip(foreign.body)).toEqual(strip(unknown.body));
      }
    }
    expect((await outsider.get('/v1/sessions')).body.data).toEqual([]);
    expect((await member.get('/v1/sessions')).body.data).toEqual([]);
    expect(await client.events(sessionId)).toEqual(before);
  });
});

/** What the callers get by the table of rights. */
function expected(access: string): object {
  if (access === 'public') return { anonymous: 200, invalid: 200, member: 200 };
  if (access === 'operator') return { anonymous: 401, invalid: 401, member: 401 };
  if (access === 'link.read') return { anonymous: 401, invalid: 401, member: 403 };
  if (access in SESSION_ACTIONS) return { anonymous: 401, invalid: 401, member: 404 };
  return { anonymous: 401, invalid: 401, member: TENANT_ACTIONS[access as TenantAction].roles.some((role) => role === 'member') ? 200 : 403 };
}
