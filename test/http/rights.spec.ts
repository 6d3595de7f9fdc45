import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Action, isSessionAction, isTenantAction, type RoleInSession, SESSION_ACTIONS, TENANT_ACTIONS } from '../../packages/protocol/access/actions.js';
import type { SessionRole, TenantRole } from '../../packages/protocol/access/roles.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { EXAMPLES, REQUIRED_QUERIES } from '../support/example-bodies.js';
import { startTestServer, type TestServer } from '../support/server.js';

const NIL = '00000000-0000-0000-0000-000000000000';

/** A caller, with the roles that they have in the tenant and in the session of the walk. */
interface Caller {
  readonly client: Client;
  readonly tenant: TenantRole | null;
  readonly session: RoleInSession | 'tenant auditor' | null;
}

/** Every role calls every route of the OpenAPI document, with a request that would be accepted, or fail only after the rights were checked. */
describe('role × route', () => {
  let server: TestServer;
  let callers: Readonly<Record<string, Caller>>;
  let operations: readonly { readonly method: string; readonly path: string; readonly operation: UnknownObject }[];
  let sessionId: string;

  beforeAll(async () => {
    server = await startTestServer();
    const admin = server.client;
    const user = async (userName: string, role: TenantRole = 'member'): Promise<Client> =>
      admin.as(expectStatus(await admin.post('/v1/tokens', { userName, role }), 201).body.token);
    const owner = await user('owner');
    sessionId = await owner.session();
    await owner.ask(sessionId, 'hello');
    const granted = async (role: SessionRole): Promise<Caller> => {
      const client = await user(role);
      expectStatus(await owner.call('PUT', `/v1/sessions/${sessionId}/grants/user:${role}`, { role }), 200);
      return { client, tenant: 'member', session: role };
    };
    const reader = await user('reader', 'admin');
    expectStatus(await reader.post(`/v1/sessions/${sessionId}/break-glass`, { reason: 'the walk' }), 200);
    const { secret } = expectStatus(
      await owner.post(`/v1/sessions/${sessionId}/links`, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() }),
      201,
    ).body;
    callers = {
      owner: { client: owner, tenant: 'member', session: 'owner' },
      editor: await granted('editor'),
      viewer: await granted('viewer'),
      auditor: await granted('auditor'),
      stranger: { client: await user('stranger'), tenant: 'member', session: null },
      admin: { client: admin, tenant: 'admin', session: 'admin' },
      tenantAuditor: { client: await user('tenant auditor', 'auditor'), tenant: 'auditor', session: 'tenant auditor' },
      reader: { client: reader, tenant: 'admin', session: 'reader' },
      link: { client: admin.as(secret), tenant: null, session: null },
      anonymous: { client: admin.as(null), tenant: null, session: null },
    };
    const { paths } = (await admin.get('/openapi.json')).body;
    operations = Object.entries<UnknownObject>(paths).flatMap(([path, item]) =>
      Object.entries<UnknownObject>(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
  });
  afterAll(() => server.stop());

  const isAllowed = ({ tenant, session }: Caller, action: Action): boolean => {
    if (isSessionAction(action)) {
      const roles: readonly RoleInSession[] = SESSION_ACTIONS[action].roles;
      if (session === null) return false;
      if (session === 'tenant auditor') return roles.includes('auditor');
      // Who has emergency access is an admin still.
      return roles.includes(session) || (session === 'reader' && roles.includes('admin'));
    }
    return isTenantAction(action) && tenant !== null && (TENANT_ACTIONS[action].roles as readonly TenantRole[]).includes(tenant);
  };

  /** What a request of the walk needs besides the action of its route: it would create a session. */
  const ALSO: Readonly<Record<string, Action>> = { 'POST /v1/ui/chat': 'session.create' };

  function expected(name: string, caller: Caller, action: Action, route: string): string {
    if (name === 'anonymous') return 'unauthenticated';
    if (name === 'link') return action === 'link.read' ? 'allowed' : 'forbidden';
    const also = ALSO[route];
    if (isAllowed(caller, action) && (also === undefined || isAllowed(caller, also))) return 'allowed';
    return isSessionAction(action) && caller.session === null ? 'session_not_found' : 'forbidden';
  }

  it('gives every caller exactly what the table of rights says', async () => {
    const walked = new Set<string>();
    const surprises: unknown[] = [];
    for (const { method, path, operation } of operations) {
      const action: string = operation['x-access'];
      if (action === 'public' || action === 'operator') continue;
      walked.add(action);
      // A stream does not end; asking for its headers does.
      const verb = path.endsWith('/stream') ? 'HEAD' : method;
      const target =
        path
          .replace('{id}', sessionId)
          .replace('{principal}', 'user:ann')
          .replace(/\{\w+\}/g, NIL) + (REQUIRED_QUERIES[path] ?? '');
      const schema = operation.requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1);
      // A version that the session does not have: a command that is allowed fails after that, and changes nothing.
      const headers: Readonly<Record<string, string>> = verb === 'HEAD' || method === 'GET' ? {} : { 'if-match': '"999999"' };
      for (const [name, caller] of Object.entries(callers)) {
        const answer = await caller.client.call(verb, target, EXAMPLES[schema], headers);
        // Only of a session in the path: a body may name one that does not exist.
        const refusals = ['unauthenticated', 'forbidden', ...(path.includes('{id}') ? ['session_not_found'] : [])];
        const byStatus = refusals[[401, 403, 404].indexOf(answer.status)];
        const code = (verb === 'HEAD' ? byStatus : refusals.find((refusal) => refusal === answer.body?.code)) ?? 'allowed';
        const wanted = expected(name, caller, action as Action, `${method} ${path}`);
        if (code !== wanted) surprises.push([method, path, action, name, wanted, answer.status, answer.body?.code].join(' '));
      }
    }
    expect(surprises).toEqual([]);
    // Actions without their own route yet would be untested.
    const actions = [...Object.keys(SESSION_ACTIONS), ...Object.keys(TENANT_ACTIONS), 'link.read'];
    expect(actions.filter((action) => !walked.has(action) && action !== 'tenant.usage')).toEqual([]);
  });
});
