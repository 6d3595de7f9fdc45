/** What the length of a conversation costs: a turn after many imported messages beside one of an empty session of the same run, memory at its peak, the first page. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { Client } from '../test/support/client.js';
import { ServerProcess } from '../test/support/process.js';
import { startStandIn } from '../test/support/stand-in-server.js';
import { processorMs } from './database-counters.js';
import { MARKS, marked } from './marks.js';
import { percentile, table } from './report.js';

/** Messages, and how often each repeats the sentence; together less than the window of a million tokens. */
const LENGTHS = [
  { length: 2_000, repeats: 4 },
  { length: 20_000, repeats: 1 },
] as const;
const TURNS = 30;
const SENTENCE = 'Where is the timeout of the connection pool configured, and what happens when it is over? ';

export async function benchLong(environment: Readonly<Record<string, string>>, token: string): Promise<void> {
  // The model API is in this process: what it costs to answer is not the server's, but what it costs to send a body is.
  const api = await startStandIn();
  const server = await ServerProcess.start({
    ...{ LOG_LEVEL: 'silent', AUTO_COMPACT: 'false', CONTEXT_WINDOW_TOKENS: '100000000' },
    ...{ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'bench', ...environment },
  });
  try {
    const client = server.client(token);
    const empty = await client.session();
    await turns(server, client, empty, TURNS);
    for (const { length, repeats } of LENGTHS) {
      const { id, bytes, lines } = await imported(client, length, SENTENCE.repeat(repeats));
      const resident = await peakMiB(server.pid, true);
      const first = await turns(server, client, id, 1);
      const peak = await peakMiB(server.pid, false);
      await turns(server, client, id, 3);
      const [long, short]: [number[], number[]] = [[], []];
      for (let round = 0; round < 3; round += 1) {
        long.push(...(await turns(server, client, id, TURNS / 3)));
        short.push(...(await turns(server, client, empty, TURNS / 3)));
      }
      const pages = await cpuOf(server, async () => {
        for (let page = 0; page < 50; page += 1) await client.get(`/v1/sessions/${id}/messages?limit=50`);
      });
      const sent = (await client.events(id)).findLast(({ type }) => type === 'request.sent').data;
      const body = 'x'.repeat(sent.bytes);
      const began = process.cpuUsage();
      for (let round = 0; round < 10; round += 1)
        createHash('sha256')
          .update(Buffer.from([body.slice(1), 'y'].join('')))
          .digest();
      const { user, system } = process.cpuUsage(began);
      table(
        `A turn after ${length.toLocaleString('en')} messages (${(bytes / 1e6).toFixed(1)} MB of text, ${(lines / 1e6).toFixed(1)} MB as lines; ms CPU of the server, p50)`,
        [
          [
            'a next turn; in an empty session; ratio',
            ratio(long),
            ratio(short),
            (percentile(long, 0.5) / percentile(short, 0.5)).toFixed(2),
            nextTurnMark(length),
          ],
          ['joining and hashing a body of its size', ((user + system) / 10_000).toFixed(1), `${(sent.bytes / 1e6).toFixed(1)} MB`, ''],
          ['the first turn, which loads the session', ratio(first), '', ''],
          [
            'resident MiB more at its peak; the transcript; ratio',
            (peak - resident).toFixed(0),
            (lines / 1_048_576).toFixed(1),
            `${((peak - resident) / (lines / 1_048_576)).toFixed(1)} x`,
          ],
          ['a page of /messages, limit=50', (pages / 50).toFixed(1), '', ''],
          ['digests that its last request records', String(sent.prefix.messages.length), '', ''],
        ],
      );
    }
  } finally {
    await server.stop();
    await api.close();
  }
}

const nextTurnMark = (length: number): string => {
  const mark = MARKS.nextTurn[length];
  return mark === undefined ? '' : marked(mark);
};

const ratio = (values: readonly number[]): string => percentile(values, 0.5).toFixed(1);

interface Imported {
  readonly id: string;
  /** Of its texts, and of the lines of the imported transcript. */
  readonly bytes: number;
  readonly lines: number;
}

async function imported(client: Client, length: number, text: string): Promise<Imported> {
  const uuid = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const lines = Array.from({ length }, (_, index) => {
    const place = { uuid: uuid(index), parentUuid: index === 0 ? null : uuid(index - 1), timestamp: '2026-01-01T00:00:00.000Z', sessionId: 'long' };
    const answer = {
      id: `msg_${index}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5-5',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
    };
    return JSON.stringify(
      index % 2 === 0 ? { ...place, type: 'user', message: { role: 'user', content: text } } : { ...place, type: 'assistant', message: answer },
    );
  });
  const transcript = `${lines.join('\n')}\n`;
  const { body } = await client.call('POST', '/v1/imports', transcript, { 'content-type': 'application/x-ndjson' });
  return { id: body.id ?? body.sessionId, bytes: length * text.length, lines: transcript.length };
}

async function turns(server: ServerProcess, client: Client, id: string, count: number): Promise<readonly number[]> {
  const used: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    used.push(
      await cpuOf(server, async () => {
        const { status, error } = await client.ask(id, 'And now?');
        if (status !== 'completed') throw new Error(`the turn ended as ${status}: ${JSON.stringify(error)}`);
      }),
    );
  }
  return used;
}

async function cpuOf(server: ServerProcess, work: () => Promise<void>): Promise<number> {
  const before = await processorMs(server.pid);
  await work();
  return (await processorMs(server.pid)) - before;
}

/** The largest resident memory since the last reset, which this is when `reset`. */
async function peakMiB(pid: number, reset: boolean): Promise<number> {
  if (reset) await writeFile(`/proc/${pid}/clear_refs`, '5');
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
