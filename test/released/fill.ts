import { expectStatus } from '../support/client.js';
import { image, PIXEL } from '../support/normalize/build.js';
import type { TestServer } from '../support/server.js';

/** What a later build must find. */
export interface Filled {
  /** Of an admin. */
  readonly token: string;
  readonly link: string;
  readonly sessions: readonly { readonly id: string; readonly title: string; readonly texts: readonly string[]; readonly version: number }[];
  readonly sha256: string;
}

/** A bit of everything that is stored. */
export async function fill(server: TestServer): Promise<Filled> {
  const made = await server.running.accounts.createTenant('released', 'ada');
  const client = server.client.as(made.token);
  const id = await client.session({ title: 'A released conversation', metadata: { project: 'alpha' } });
  await client.ask(id, [image(PIXEL), { type: 'text', text: 'look at this picture of a lighthouse' }]);
  await client.ask(id, 'and at a text with "quotes", \\ and \u2028 in it');
  expectStatus(await client.call('PUT', `/v1/sessions/${id}/grants/group:keepers`, { role: 'viewer' }), 200);
  const expiresAt = new Date(Date.now() + 36_500 * 86_400_000).toISOString();
  const link = expectStatus(await client.post(`/v1/sessions/${id}/links`, { expiresAt: new Date(Date.now() + 86_400_000).toISOString() }), 201).body;
  const { token } = expectStatus(await client.post('/v1/tokens', { name: 'kept', role: 'admin', expiresAt }), 201).body;
  const fork = expectStatus(await client.post(`/v1/sessions/${id}/forks`, { title: 'A fork' }), 201).body.id as string;
  await client.ask(fork, 'only in the fork');
  const sessions = await Promise.all(
    [id, fork].map(async (session) => {
      const { title, version } = expectStatus(await client.get(`/v1/sessions/${session}`), 200).body;
      return { id: session, title: title as string, version: version as number, texts: await textsIn(client, session) };
    }),
  );
  const [sha256] = /[0-9a-f]{64}/.exec(JSON.stringify(await client.messages(id)))!;
  return { token: token as string, link: (link.secret ?? link.url) as string, sessions, sha256 };
}

type Reader = Pick<TestServer['client'], 'messages'>;

/** The texts of the messages, as they are read. */
export async function textsIn(client: Reader, session: string): Promise<readonly string[]> {
  return [...JSON.stringify(await client.messages(session)).matchAll(/"text":"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text!);
}
