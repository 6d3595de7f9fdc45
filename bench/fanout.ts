/** What a reader costs: CPU time of a delivered piece and memory of an open stream, beside a bare fan-out over node:http of the same run. */
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ServerProcess } from '../test/support/process.js';
import { processorMs } from './database-counters.js';
import { MARKS, marked } from './marks.js';
import { percentile, table } from './report.js';

const SESSIONS = 5;
const READERS = 20;
const PIECES = 1_200;
const EVERY_MS = 8;
const ROUNDS = 3;
const OPEN = 2_000;
const SETTINGS = { LOG_LEVEL: 'silent', MAX_CONNECTIONS_PER_ADDRESS: '100000' };

/** Collects garbage and prints the memory in use, on SIGUSR2. */
export const MEMORY_PROBE = `--import "data:text/javascript,${encodeURIComponent(`
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    gc();
    // Pages are returned to the system later.
    setTimeout(() => { gc(); process.stderr.write('memory ' + JSON.stringify(process.memoryUsage()) + ';'); }, 2000);
  });
`)}"`;

export async function benchFanout(environment: Readonly<Record<string, string>>, token: string): Promise<void> {
  const server = await ServerProcess.start({ ...SETTINGS, ...environment, NODE_OPTIONS: MEMORY_PROBE });
  const bare = await ServerProcess.start({ NODE_OPTIONS: MEMORY_PROBE }, undefined, fileURLToPath(new URL('bare-fanout.js', import.meta.url)));
  try {
    const client = server.client(token);
    const ids = await Promise.all(Array.from({ length: SESSIONS }, () => client.session()));
    const paths = ids.map((id) => `/v1/sessions/${id}/events/stream`);
    const piece = await pieceOf(server, token);

    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      ours.push(
        await delivered(server, token, paths, async () => {
          const running = await Promise.all(ids.map((id) => client.prompt(id, `{{slow ${EVERY_MS}}}{{long ${PIECES}}}`)));
          await Promise.all(ids.map((id, index) => client.settled(id, running[index]!.body.turnId)));
        }),
      );
      const order = JSON.stringify({ type: 'message.delta', data: piece, pieces: PIECES, everyMs: EVERY_MS });
      theirs.push(await delivered(bare, token, ['/1', '/2', '/3', '/4', '/5'], () => fetch(bare.url, { method: 'POST', body: order })));
    }
    const [us, them] = [percentile(ours, 0.5), percentile(theirs, 0.5)];
    table(`A piece delivered to each of ${READERS} readers of ${SESSIONS} sessions, every ${EVERY_MS} ms (µs CPU of the server a delivered piece)`, [
      ['ours, everything that the turns cost included', us.toFixed(1), '', ''],
      ['node:http, one write a reader', them.toFixed(1), '', ''],
      ['ratio', (us / them).toFixed(2), '', marked(MARKS.deliveredPiece)],
    ]);

    const [held, heldBare] = [await memoryEach(server, token, paths), await memoryEach(bare, token, ['/1', '/2', '/3', '/4', '/5'])];
    table(`An open stream, of ${OPEN} (KB, after a collection of garbage)`, [
      ['ours: heap and buffers, resident', held.used.toFixed(1), held.resident.toFixed(1), ''],
      ['node:http', heldBare.used.toFixed(1), heldBare.resident.toFixed(1), ''],
    ]);
  } finally {
    await Promise.all([server.stop(), bare.stop()]);
  }
}

/** A delta as it is streamed. */
async function pieceOf(server: ServerProcess, token: string): Promise<unknown> {
  const client = server.client(token);
  const id = await client.session();
  const stream = await client.stream(id);
  await client.prompt(id, '{{long 30}}');
  await stream.untilType('turn.completed');
  stream.close();
  return stream.events.findLast(({ event }) => event === 'message.delta')!.data;
}

/** Microseconds of CPU time for each piece that reached a reader. */
async function delivered(server: ServerProcess, token: string, paths: readonly string[], work: () => Promise<unknown>): Promise<number> {
  const readers = await Promise.all(paths.flatMap((path) => Array.from({ length: READERS }, () => Reader.open(server.url, path, token))));
  const before = await processorMs(server.pid);
  const expected = readers.map((reader) => reader.reaches(PIECES));
  await work();
  await Promise.all(expected);
  const used = (await processorMs(server.pid)) - before;
  for (const reader of readers) reader.close();
  return (used * 1_000) / (readers.length * PIECES);
}

async function memoryEach(server: ServerProcess, token: string, paths: readonly string[]): Promise<{ readonly used: number; readonly resident: number }> {
  const open = async (count: number): Promise<readonly Reader[]> => {
    const readers: Reader[] = [];
    while (readers.length < count)
      readers.push(...(await Promise.all(Array.from({ length: 50 }, (_, index) => Reader.open(server.url, paths[index % paths.length]!, token)))));
    return readers;
  };
  // What the first streams of a process cost belongs to the process.
  const first = await open(OPEN / 2);
  const before = await memoryOf(server);
  const readers = await open(OPEN);
  const after = await memoryOf(server);
  for (const reader of [...first, ...readers]) reader.close();
  const used = ({ heapUsed, external }: NodeJS.MemoryUsage): number => heapUsed + external;
  return { used: (used(after) - used(before)) / OPEN / 1_024, resident: (after.rss - before.rss) / OPEN / 1_024 };
}

export async function memoryOf(server: ServerProcess): Promise<NodeJS.MemoryUsage> {
  const seen = server.printed().split('memory ').length;
  server.signal('SIGUSR2');
  await server.said(new RegExp(`(?:memory [^;]*;[^]*){${seen}}`));
  return JSON.parse(server.printed().split('memory ').at(-1)!.split(';')[0]!) as NodeJS.MemoryUsage;
}

/** Counts the pieces of a stream, at little cost to the machine that is measured. */
export class Reader {
  #pieces = 0;
  #rest = '';
  #target = Infinity;
  #reached = (): void => undefined;

  private constructor(private readonly socket: Socket) {}

  /** Resolves when the stream has told that it is in step. */
  static async open(base: string, path: string, token: string): Promise<Reader> {
    const { port, hostname } = new URL(base);
    const socket = connect(Number(port), hostname);
    const reader = new Reader(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.on('data', (bytes: Buffer) => {
        if (reader.#take(bytes.toString('latin1'))) resolve();
      });
      socket.write(`GET ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\n\r\n`);
    });
    return reader;
  }

  reaches(pieces: number): Promise<void> {
    this.#target = this.#pieces + pieces;
    return new Promise((resolve) => (this.#reached = resolve));
  }

  close(): void {
    this.socket.destroy();
  }

  /** Whether the text says that the stream is in step. */
  #take(text: string): boolean {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) if (line === 'event: message.delta') this.#pieces += 1;
    if (this.#pieces >= this.#target) this.#reached();
    return lines.includes('event: synced');
  }
}
