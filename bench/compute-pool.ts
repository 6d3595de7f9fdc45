import { appLogin } from '../src/platform/postgres/app-role.js';
import type { Client } from '../test/support/client.js';
import { filledSession } from '../test/support/filled-session.js';
import { ServerProcess } from '../test/support/process.js';
import { loopDelay } from './loop-delay.js';
import { percentile, table } from './report.js';

const MESSAGES = 100_000;
const BLOCK_CHARACTERS = 30_000_000;

const text = (index: number): string => `message ${index} ${'word '.repeat(40)}`;

/**
 * Effect of one caller's expensive query on others: the event loop delay reported by the server, and the duration of small turns of another
 * session at the same time.
 */
export async function benchComputePool(environment: Readonly<Record<string, string>> & { readonly DATABASE_URL: string }, token: string): Promise<void> {
  const { appUrl } = appLogin(environment.DATABASE_URL);
  const server = await ServerProcess.start({ LOG_LEVEL: 'silent', ...environment });
  try {
    const client = server.client(token);
    const long = await filledSession(
      client,
      appUrl,
      Array.from({ length: MESSAGES }, (_, index) => text(index)),
    );
    // Short enough for the model's context window.
    const within = await filledSession(
      client,
      appUrl,
      Array.from({ length: MESSAGES }, (_, index) => `word ${index}`),
    );
    const broad = await filledSession(client, appUrl, ['x'.repeat(BLOCK_CHARACTERS), 'noted']);
    const plain = Array.from({ length: MESSAGES }, (_, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: text(index) }));
    const many = JSON.stringify({ messages: plain });
    const block = JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(BLOCK_CHARACTERS) }] });
    const small = JSON.stringify({ messages: plain.slice(0, 400) });
    const cases: readonly (readonly [label: string, ask: () => Promise<Response>])[] = [
      ['nothing', () => ask(client, 'GET', '/v1/sessions')],
      ['POST /normalize, 400 messages (in place)', () => ask(client, 'POST', '/v1/normalize', small)],
      ['POST /normalize, 100,000 messages', () => ask(client, 'POST', '/v1/normalize', many)],
      ['POST /normalize, one text of 30 MB', () => ask(client, 'POST', '/v1/normalize', block)],
      ['GET /payload, 100,000 messages', () => ask(client, 'GET', `/v1/sessions/${long}/payload`)],
      ['GET /payload, one text of 30 MB', () => ask(client, 'GET', `/v1/sessions/${broad}/payload`)],
      ['GET /messages, a page of 100 of 100,000', () => ask(client, 'GET', `/v1/sessions/${long}/messages`)],
      ['GET /messages, one text of 30 MB', () => ask(client, 'GET', `/v1/sessions/${broad}/messages`)],
      ['GET /events, one text of 30 MB', () => ask(client, 'GET', `/v1/sessions/${broad}/events`)],
      ['GET /export, 100,000 messages', () => ask(client, 'GET', `/v1/sessions/${long}/export`)],
      ['a turn after 100,000 messages', () => client.ask(within, 'hello').then(() => new Response())],
      ['another one', () => client.ask(within, 'hello').then(() => new Response())],
    ];
    const turns = await client.session();
    for (let turn = 0; turn < 30; turn += 1) await client.ask(turns, 'warm-up');
    const rows = [];
    for (const [label, question] of cases) rows.push(await measured(client, turns, label, question));
    table('One expensive query (ms): duration; event loop delay, max / p99; slowest concurrent small turn', rows);
  } finally {
    await server.stop();
  }
}

async function ask({ baseUrl, token }: Client, method: string, path: string, body?: string): Promise<Response> {
  return fetch(baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
}

async function measured(client: Client, session: string, label: string, question: () => Promise<Response>): Promise<readonly [string, string, string, string]> {
  await loopDelay(client); // and start afresh
  const started = performance.now();
  let ended = 0;
  const answer = question().then(async (response) => {
    const bytes = (await response.arrayBuffer()).byteLength;
    ended = performance.now();
    return `${response.status}, ${(bytes / 1e6).toFixed(1)} MB`;
  });
  const turns: number[] = [];
  do {
    const before = performance.now();
    await client.ask(session, 'hello');
    turns.push(performance.now() - before);
  } while (ended === 0);
  const outcome = await answer;
  const { max, p99 } = await loopDelay(client);
  return [
    `${label}: ${outcome}`,
    `${(ended - started).toFixed(0)}`,
    `${max.toFixed(0)} / ${p99.toFixed(0)}`,
    `${turns.length}, ${percentile(turns, 1).toFixed(0)}`,
  ];
}
