/** What the Anthropic door costs: processor time of a request, requests a second, the wait for the first byte, and bytes of the log, beside a bare proxy over node:http of the same run. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { ServerProcess } from '../test/support/process.js';
import { processorMs } from './database-counters.js';
import { MARKS, marked } from './marks.js';
import { percentile, table } from './report.js';

const REQUESTS = 12;
const SESSIONS = 10;
const CONCURRENT = 32;
const PIECES = 40;
const KB = 1024;
/** What a coding assistant sends with each request beside its messages. */
const SYSTEM = 'You help with a program, and read its files before you say how they work. '.repeat(270);
const TOOLS = Array.from({ length: 12 }, (_, index) => ({
  name: `tool_${index}`,
  description: 'Reads, writes or searches files of the project and returns what it has found there. '.repeat(22),
  input_schema: { type: 'object', properties: { path: { type: 'string', description: 'The path of the file, below the folder of the project.' } } },
}));

interface Target {
  readonly url: string;
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface Measured {
  /** Processor time of the target, milliseconds. */
  readonly processor: number;
  readonly firstByte: number;
  readonly bytes: number;
}

export async function benchGateway(environment: Readonly<Record<string, string>>, token: string): Promise<void> {
  const upstream = await startUpstream();
  const door = await ServerProcess.start({
    LOG_LEVEL: 'silent',
    ANTHROPIC_BASE_URL: upstream.url,
    ANTHROPIC_API_KEY: 'bench',
    REQUESTS_PER_MINUTE: '1000000',
    ...environment,
  });
  const bare = await ServerProcess.start({ UPSTREAM: upstream.url }, undefined, fileURLToPath(new URL('bare-proxy.js', import.meta.url)));
  const database = new pg.Client({ connectionString: environment['DATABASE_URL'] });
  await database.connect();
  try {
    const ours: Target = { url: `${door.url}/anthropic`, pid: door.pid, headers: { 'x-api-key': token } };
    const theirs: Target = { url: bare.url, pid: bare.pid, headers: {} };
    for (const target of [ours, theirs]) await rounds(target, SESSIONS, 0); // compiled by then
    for (const [title, history] of [
      ['50 KB', 0],
      ['1 MB', 950 * KB],
    ] as const) {
      const [us, them] = [await rounds(ours, SESSIONS, history), await rounds(theirs, SESSIONS, history)];
      const [next, nextBare] = [us.filter(({ index }) => index > 0), them.filter(({ index }) => index > 0)];
      const first = us.filter(({ index }) => index === 0);
      table(
        `A request of ${title} through the door, beside node:http (${SESSIONS} conversations of ${REQUESTS} requests; ${(
          percentile(
            next.map(({ bytes }) => bytes),
            0.5,
          ) / KB
        ).toFixed(0)} KB at the median)`,
        [
          [
            'CPU of a next request (ms), p50; bare',
            p50(next, 'processor'),
            p50(nextBare, 'processor'),
            marked(history === 0 ? MARKS.doorMs50KB : MARKS.doorMs1MB),
          ],
          ['CPU of the first request (ms), p50', p50(first, 'processor'), '', ''],
          ['first byte (ms), p50; bare', p50(next, 'firstByte'), p50(nextBare, 'firstByte'), ''],
        ],
      );
    }
    for (const target of [ours, theirs]) await perSecond(target); // compiled by then
    const [us, them] = [await perSecond(ours), await perSecond(theirs)];
    table(`${CONCURRENT} conversations of ${REQUESTS} requests at once`, [
      ['requests a second; bare; ratio', us.toFixed(0), them.toFixed(0), (us / them).toFixed(2)],
      ['', '', '', marked(MARKS.doorRate)],
    ]);
    await benchStored(ours, database);
  } finally {
    await database.end();
    await bare.stop();
    await door.stop();
    await upstream.close();
  }
}

const p50 = (values: readonly Measured[], what: 'processor' | 'firstByte'): string =>
  percentile(
    values.map((value) => value[what]),
    0.5,
  ).toFixed(2);

async function benchStored(target: Target, database: pg.Client): Promise<void> {
  const conversation = new Conversation(target, 0);
  let sent = 0;
  let session = '';
  for (let index = 0; index < REQUESTS; index += 1) {
    const { bytes, sessionId } = await conversation.request();
    sent += bytes;
    session = sessionId;
  }
  const { rows } = await database.query<{ bytes: string }>('SELECT sum(octet_length(data::text)) AS bytes FROM event WHERE session_id = $1', [session]);
  table(`The log of a conversation of ${REQUESTS} requests`, [
    ['KB that the client sent', (sent / KB).toFixed(0), '', ''],
    ['KB of events', (Number(rows[0]!.bytes) / KB).toFixed(0), '', marked(MARKS.doorLogKB)],
  ]);
}

async function rounds(target: Target, sessions: number, history: number): Promise<readonly (Measured & { readonly index: number })[]> {
  const all: (Measured & { readonly index: number })[] = [];
  for (let session = 0; session < sessions; session += 1) {
    const conversation = new Conversation(target, history);
    for (let index = 0; index < REQUESTS; index += 1) {
      const before = await processorMs(target.pid);
      const { firstByte, bytes } = await conversation.request();
      all.push({ processor: (await processorMs(target.pid)) - before, firstByte, bytes, index });
    }
  }
  return all;
}

async function perSecond(target: Target): Promise<number> {
  const began = performance.now();
  await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      const conversation = new Conversation(target, 0);
      for (let index = 0; index < REQUESTS; index += 1) await conversation.request();
    }),
  );
  return (CONCURRENT * REQUESTS * 1_000) / (performance.now() - began);
}

/** A client that sends its whole history with each request. */
class Conversation {
  readonly #name = randomUUID();
  readonly #messages: { role: string; content: unknown }[] = [];

  constructor(
    private readonly target: Target,
    history: number,
  ) {
    const text = 'What was said before, in a sentence or two of the usual length. '.repeat(16);
    for (let characters = 0; characters < history; characters += 2 * text.length) this.#add(`${this.#messages.length} ${text}`, text);
  }

  async request(): Promise<{ readonly firstByte: number; readonly bytes: number; readonly sessionId: string }> {
    this.#messages.push({ role: 'user', content: `${this.#messages.length} ${'And what does this part do? '.repeat(20)}` });
    const body = JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 1_000, system: SYSTEM, tools: TOOLS, messages: this.#messages, stream: true });
    const began = performance.now();
    const response = await fetch(`${this.target.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-claude-code-session-id': this.#name, ...this.target.headers },
      body,
    });
    let firstByte = 0;
    let answer = '';
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      firstByte ||= performance.now() - began;
      answer += part;
    }
    if (!answer.includes('message_stop')) throw new Error(`the answer ended early: ${response.status} ${answer.slice(0, 300)}`);
    this.#messages.push({ role: 'assistant', content: [{ type: 'text', text: PIECE.repeat(PIECES) }] });
    return { firstByte, bytes: Buffer.byteLength(body), sessionId: response.headers.get('x-verbatim-session') ?? '' };
  }

  #add(prompt: string, answer: string): void {
    this.#messages.push({ role: 'user', content: prompt }, { role: 'assistant', content: answer });
  }
}

const PIECE = 'It reads the file. ';

/** Answers each request with the same stream. */
async function startUpstream(): Promise<{ readonly url: string; close(): Promise<void> }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      const frame = (type: string, data: object): boolean => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
      const usage = { input_tokens: 3, cache_creation_input_tokens: 100, cache_read_input_tokens: 12_000, output_tokens: 1 };
      response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${(count += 1)}` });
      frame('message_start', {
        message: {
          id: `msg_bench_${count}`,
          type: 'message',
          role: 'assistant',
          model: 'claude-opus-4-5',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage,
        },
      });
      frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
      for (let piece = 0; piece < PIECES; piece += 1) frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: PIECE } });
      frame('content_block_stop', { index: 0 });
      frame('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: PIECES } });
      frame('message_stop', {});
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => new Promise((resolve) => server.close(() => resolve())) };
}
