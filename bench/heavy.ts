import type { Client } from '../test/support/client.js';
import { ServerProcess } from '../test/support/process.js';
import { until } from '../test/support/until.js';
import { loopDelay } from './loop-delay.js';
import { percentile, table } from './report.js';

/** The default of MAX_JSON_VALUES, and what keeps a body below it. */
const VALUES = 38_000;
const TRIES = 5;

interface Heavy {
  readonly label: string;
  readonly method?: 'POST' | 'PATCH';
  readonly path: string;
  readonly body: () => string;
  readonly type?: string;
}

/** The longest time that one request of a member holds the event loop, by route and kind of body: JSON values, members, strings, blocks, lines. */
export async function benchHeavy(environment: Readonly<Record<string, string>>, token: string): Promise<void> {
  const server = await ServerProcess.start({ LOG_LEVEL: 'silent', ...environment });
  try {
    const client = server.client(token);
    for (let warm = 0; warm < 10; warm += 1) await client.ask(await client.session(), `warm-up ${warm}`);
    const rows: (readonly [string, string, string, string])[] = [];
    for (const { label, path, body: make, ...heavy } of BODIES) {
      const body = make();
      const held: number[] = [];
      let status = 0;
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        const id = await client.session();
        await loopDelay(client);
        status = await send(server.url + path.replace(':id', id), token, heavy, body);
        await idle(client, id);
        held.push((await loopDelay(client)).max);
      }
      const outcome = `${(Buffer.byteLength(body) / 1024 / 1024).toFixed(1)} MiB → ${status}`;
      rows.push([`${path}: ${label}`, outcome, `best ${Math.min(...held).toFixed(0)}`, `p50 ${percentile(held, 0.5).toFixed(0)}`]);
    }
    table(`Event loop held by one request (ms, of ${TRIES} tries; an idle loop reports 10 to 12)`, rows);
  } finally {
    await server.stop();
  }
}

async function send(url: string, token: string, { method = 'POST', type = 'application/json' }: Pick<Heavy, 'method' | 'type'>, body: string): Promise<number> {
  const response = await fetch(url, { method, headers: { authorization: `Bearer ${token}`, 'content-type': type }, body });
  await response.arrayBuffer();
  return response.status;
}

/** Waits for the turn that a prompt started: what a turn does with the prompt counts as well. */
async function idle(client: Client, id: string): Promise<void> {
  await until('the session is idle', async () => (await client.get(`/v1/sessions/${id}`)).body.status !== 'running');
}

const objects = (count: number): string => `[${'{"a":1},'.repeat(count - 1)}{"a":1}]`;
const members = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"member ${index}":1`).join(',')}}`;
const blocks = (count: number): string => `[${'{"type":"text","text":"x"},'.repeat(count - 1)}{"type":"text","text":"x"}]`;
const nested = (count: number): string => `[${`${'['.repeat(150)}${']'.repeat(150)},`.repeat(Math.floor(count / 151))}0]`;

const prompts = '/v1/sessions/:id/prompts';
const results = '/v1/sessions/:id/tool-results';
const one = (label: string, path: string, body: () => string, more: Partial<Heavy> = {}): Heavy => ({ label, path, body, ...more });
const anywhere = [
  prompts,
  '/v1/sessions',
  '/v1/sessions/:id/interrupt',
  results,
  '/v1/sessions/:id/tool-decisions',
  '/v1/sessions/:id/rewinds',
  '/v1/sessions/:id/feedback',
  '/v1/normalize',
].map((path) => one('unknown members', path, () => members(VALUES / 2)));
const messages = (count: number, content: string): string => `{"messages":[${Array(count).fill(`{"role":"user","content":${content}}`).join(',')}]}`;
const line = (content: string): string =>
  `{"type":"user","uuid":"${crypto.randomUUID()}","parentUuid":null,"timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":${content}}}`;
const imports = { type: 'application/x-ndjson' };
const BODIES: readonly Heavy[] = [
  ...anywhere,
  one('objects where a list of others is wanted', prompts, () => `{"input":"x","attachments":${objects(VALUES / 3)}}`),
  one('objects in origin', prompts, () => `{"input":"x","origin":${objects(VALUES / 3)}}`),
  one('members of origin', prompts, () => `{"input":"x","origin":${members(VALUES / 2)}}`),
  one('nested lists in origin', prompts, () => `{"input":"x","origin":${nested(VALUES)}}`),
  one('objects in an attachment', prompts, () => `{"input":"x","attachments":[{"type":"a","b":${objects(VALUES / 3)}}]}`),
  one('2,000 blocks', prompts, () => `{"input":${blocks(2_000)}}`),
  one('objects in a block', prompts, () => `{"input":[{"type":"text","text":"x","b":${objects(VALUES / 3)}}]}`),
  one('a million characters', prompts, () => `{"input":"${'é'.repeat(1_000_000)}"}`),
  one('30 million characters', prompts, () => `{"input":"${'x'.repeat(30_000_000)}"}`),
  one('340,000 escapes', prompts, () => `{"input":"${'\\u0000'.repeat(340_000)}"}`),
  one('340,000 escapes in origin', prompts, () => `{"input":"x","origin":"${'\\u0000'.repeat(340_000)}"}`),
  one('30 million characters of base64 in origin', prompts, () => `{"input":"x","origin":"${'x'.repeat(30_000_000)}"}`),
  one(
    '1,000 large pastes',
    prompts,
    () =>
      `{"input":"x","pastedContents":{${Array.from({ length: 1_000 }, (_, n) => `"${n + 1}":{"type":"text","content":"${'y'.repeat(2_000)}"}`).join(',')}}}`,
  ),
  one('objects in metadata', '/v1/sessions', () => `{"metadata":{"a":${objects(VALUES / 3)}}}`),
  one(
    'objects in the schemas of tools',
    '/v1/sessions',
    () => `{"tools":[{"name":"a","input_schema":{"type":"object","properties":{"a":{"enum":${objects(VALUES / 3)}}}}}]}`,
  ),
  one(
    '1,000 tools',
    '/v1/sessions',
    () =>
      `{"tools":[${Array.from({ length: 1_000 }, (_, n) => `{"name":"t${n}","input_schema":{"type":"object","properties":{"a":{"type":"string"}}}}`).join(',')}]}`,
  ),
  one('3,000 rules', '/v1/sessions', () => `{"permissions":{"allow":${JSON.stringify(Array(1_000).fill(`Bash(${'a*'.repeat(400)})`))}}}`),
  one('objects in metadata', '/v1/sessions/:id', () => `{"metadata":{"a":${objects(VALUES / 3)}}}`, { method: 'PATCH' }),
  one('objects in a result', results, () => `{"results":[{"toolUseId":"a","content":"b","toolUseResult":${objects(VALUES / 3)}}]}`),
  one(
    '1,000 results of 10 blocks',
    results,
    () =>
      `{"results":[${Array(1_000)
        .fill(`{"toolUseId":"a","content":${blocks(10)}}`)
        .join(',')}]}`,
  ),
  one('objects as input', '/v1/sessions/:id/tool-decisions', () => `{"toolUseId":"a","decision":"allow","updatedInput":{"a":${objects(VALUES / 3)}}}`),
  one('objects as input', '/v1/sessions/:id/hook-runs', () => `{"event":"PreToolUse","toolName":"a","toolInput":{"a":${objects(VALUES / 3)}}}`),
  one('many messages', '/v1/normalize', () => messages(30_000, '"x"')),
  one('objects in a block', '/v1/normalize', () => messages(1, `[{"type":"text","text":"x","b":${objects(VALUES / 3)}}]`)),
  one(
    'lines of objects',
    '/v1/imports',
    () => Array.from({ length: 4 }, () => line(`[{"type":"text","text":"x","b":${objects(VALUES / 3)}}]`)).join('\n'),
    imports,
  ),
  one('a line of 30 MB', '/v1/imports', () => line(`"${'x'.repeat(30_000_000)}"`), imports),
  one('100,000 lines', '/v1/imports', () => Array.from({ length: 100_000 }, () => '{}').join('\n'), imports),
];
