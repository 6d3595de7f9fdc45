import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { Browser } from '../support/browser.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { EventReader } from '../support/event-reader.js';
import { startTestServer, type TestServer } from '../support/server.js';

const SECRET = 'a secret of at least 32 characters';

/** What a user presents first, and what they make of it, one from the other; the last one opens the stream. */
const ROOTS = ['token', 'jwt', 'cookie'] as const;
type Root = (typeof ROOTS)[number];
const MADE = [[], ['token'], ['ticket'], ['token', 'token'], ['token', 'ticket']] as const;
const STREAMS = ['session', 'all'] as const;

/** A token that was made in a signed-in browser is meant to outlast it, and nothing else may. */
const CHAINS = ROOTS.flatMap((root) => MADE.flatMap((made) => STREAMS.map((stream) => ({ root, made, stream }))));
type Chain = (typeof CHAINS)[number];
const outlasts = ({ root, made }: Pick<Chain, 'root' | 'made'>): boolean => root === 'cookie' && (made as readonly string[]).includes('token');

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ AUTH_JWT_SECRET: SECRET, STREAM_RECHECK_MS: '100', STREAMS_PER_USER: '1000' });
});
afterAll(() => server.stop());

/** A user who is an admin, beside another admin, with one of each root; `lifetimeS`: of all of them. */
interface Person {
  readonly admin: Client;
  readonly userId: string;
  readonly session: string;
  readonly headers: Readonly<Record<Root, Readonly<Record<string, string>>>>;
  readonly tokenId: string;
  readonly browser: Browser;
}

async function person(lifetimeS: number | null): Promise<Person> {
  const tenant = randomUUID();
  const admin = await server.tenant(tenant);
  const sql = (text: string, values: readonly unknown[]) =>
    withConnection(server.database.ownerUrl, 60_000, async (client) => void (await client.query(text, [...values])));
  const { userId } = expectStatus(await admin.post('/v1/tokens', { userName: 'ben' }), 201).body;
  expectStatus(await admin.call('PATCH', `/v1/users/${userId}`, { role: 'admin' }), 200);
  const end = lifetimeS === null ? null : new Date(Date.now() + lifetimeS * 1_000);
  const token = expectStatus(
    await admin.post('/v1/tokens', { userName: 'ben', role: 'admin', ...(end === null ? {} : { expiresAt: end.toISOString() }) }),
    201,
  );
  const jwt = await new SignJWT({ sub: 'ben', tenant })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime(end ?? '1h')
    .sign(new TextEncoder().encode(SECRET));
  const { tenantId } = (await admin.get('/v1/me')).body;
  const browser = new Browser(admin);
  const code = await server.running.signIns.issueCode({ tenantId, userId }, 60_000);
  expectStatus(await browser.post('/v1/sign-in', { code }), 200);
  if (end !== null) await sql('UPDATE sign_in SET expires_at = $1 WHERE user_id = $2', [end, userId]);
  return {
    admin,
    userId,
    session: await admin.as(token.body.token).session(),
    headers: {
      token: { authorization: `Bearer ${token.body.token}` },
      jwt: { authorization: `Bearer ${jwt}` },
      cookie: { ...browser.headers, 'sec-fetch-site': 'same-origin' },
    },
    tokenId: token.body.id,
    browser,
  };
}

/** A chain of credentials of a person: the last one, and an open stream with it. */
async function opened({ admin, session, headers }: Person, { root, made, stream }: Chain) {
  const anyone = admin.as(null);
  const path = stream === 'all' ? '/v1/events/stream' : `/v1/sessions/${session}/events/stream`;
  const ticketOf = async (with_: Readonly<Record<string, string>>): Promise<string> =>
    expectStatus(await anyone.call('POST', '/v1/stream-tickets', stream === 'all' ? {} : { sessionId: session }, with_), 201).body.ticket;
  let last = headers[root];
  let query = '';
  for (const kind of made) {
    if (kind === 'ticket') query = `?ticket=${await ticketOf(last)}`;
    else last = { authorization: `Bearer ${expectStatus(await anyone.call('POST', '/v1/tokens', { role: 'admin' }, last), 201).body.token}` };
  }
  const reader = await EventReader.open(`${admin.baseUrl}${path}${query}`, query === '' ? last : {});
  // A second ticket that nobody redeems before the end.
  const chain = { reader, isOver: false, last, unused: `${path}?ticket=${await ticketOf(last)}` };
  void reader.ended.then(() => (chain.isOver = true));
  return chain;
}

type Opened = Awaited<ReturnType<typeof opened>>;

const openedAll = (whom: Person, chains: readonly Chain[]): Promise<readonly Opened[]> => Promise.all(chains.map((chain) => opened(whom, chain)));

/** The chains whose stream, ticket or credential is accepted afterwards: waits for the streams that have to end. */
async function surviving(whom: Person, chains: readonly Chain[], all: readonly Opened[], roleOnly = false): Promise<readonly string[]> {
  await Promise.race([Promise.all(all.map(({ reader }) => reader.ended)), pause(30_000, undefined, { ref: false })]);
  const found = await Promise.all(
    all.map(async ({ reader, isOver, last, unused }, index) => {
      const name = Object.values(chains[index]!).flat().join(' → ');
      reader.close();
      const accepted = async () => {
        const { status, body } = await whom.admin.as(null).call('GET', '/v1/me', undefined, last);
        return roleOnly ? body.role !== 'member' : status === 200;
      };
      // A process may remember for a second that it has found them valid.
      for (let tries = 0; tries < 5 && (await accepted()); tries += 1) await pause(1_000);
      const isAccepted = await accepted();
      const ticket = await fetch(`${whom.admin.baseUrl}${unused}`, { method: 'HEAD' });
      return [...(isOver ? [] : [`${name}: stream`]), ...(isAccepted ? [`${name}: credentials`] : []), ...(ticket.status === 200 ? [`${name}: ticket`] : [])];
    }),
  );
  return found.flat();
}

describe('what is made with credentials', () => {
  const bound = CHAINS.filter((chain) => !outlasts(chain));

  it('ends when they expire, whatever they are and however many are between', async () => {
    // On a slow machine they may expire before everything is made of them.
    for (let lifetimeS = 5; ; lifetimeS *= 2) {
      const whom = await person(lifetimeS);
      const all = await openedAll(whom, bound).catch(() => null);
      if (all === null && lifetimeS < 100) continue;
      // A signed token itself is accepted a few seconds longer, for issuers whose clock is slow; what was made of it is not.
      const tolerated = bound.filter(({ root, made }) => root === 'jwt' && !(made as readonly string[]).includes('token'));
      const names = tolerated.map((chain) => `${Object.values(chain).flat().join(' → ')}: credentials`);
      expect((await surviving(whom, bound, all!)).filter((name) => !names.includes(name))).toEqual([]);
      return;
    }
  });

  it('ends when they are revoked', async () => {
    const whom = await person(null);
    const revocable = bound.filter(({ root }) => root !== 'jwt');
    const all = await openedAll(whom, revocable);
    expectStatus(await whom.admin.call('DELETE', `/v1/tokens/${whom.tokenId}`), 204);
    const { signInId } = (await whom.browser.get('/v1/me')).body;
    expectStatus(await whom.admin.call('DELETE', `/v1/sign-ins/${signInId}`), 204);
    expect(await surviving(whom, revocable, all)).toEqual([]);
  });

  it('ends when the user is disabled', async () => {
    const whom = await person(null);
    const all = await openedAll(whom, CHAINS);
    expectStatus(await whom.admin.call('PATCH', `/v1/users/${whom.userId}`, { disabled: true }), 200);
    expect(await surviving(whom, CHAINS, all)).toEqual([]);
  });

  it('ends, or is that of a member, when the user is made a member', async () => {
    const whom = await person(null);
    const all = await openedAll(whom, CHAINS);
    expectStatus(await whom.admin.call('PATCH', `/v1/users/${whom.userId}`, { role: 'member' }), 200);
    expect(await surviving(whom, CHAINS, all, true)).toEqual([]);
  });

  it('ends when the browser was not used for too long, and not with it what is meant to last', async () => {
    const whom = await person(null);
    const chains = bound.filter(({ root }) => root === 'cookie');
    const all = await openedAll(whom, chains);
    const lasting = expectStatus(await whom.browser.post('/v1/tokens', {}), 201).body;
    await withConnection(server.database.ownerUrl, 60_000, async (client) => {
      await client.query("UPDATE sign_in SET last_used_at = now() - interval '49 hours' WHERE user_id = $1", [whom.userId]);
    });
    expect(await surviving(whom, chains, all)).toEqual([]);
    expect((await whom.admin.as(lasting.token).get<UnknownObject>('/v1/me')).status).toBe(200);
  });
});
