/** What people with an open console cost the server, beside as many bare event streams of the same sessions and the same run. */
import { Conversation, createClient } from '@verbatim/client';
import { ServerProcess } from '../test/support/process.js';
import { processorMs } from './database-counters.js';
import { MEMORY_PROBE, memoryOf, Reader } from './fanout.js';
import { table } from './report.js';

const READERS = Number(process.env['READERS'] ?? 1_000);
const SESSIONS = 10;
const PIECES = 300;
const EVERY_MS = 20;
const OPENED_AT_ONCE = 50;
const SETTINGS = { LOG_LEVEL: 'silent', MAX_CONNECTIONS_PER_ADDRESS: '100000', NODE_OPTIONS: MEMORY_PROBE };

/** Opens one; resolves when it is in step. */
type Open = (server: ServerProcess, token: string, sessionId: string) => Promise<Opened>;

interface Opened {
  /** Resolves when it has seen the end of a turn with so many pieces. */
  readonly done: () => Promise<void>;
  readonly close: () => void;
}

interface Cost {
  readonly openMs: number;
  readonly turnMs: number;
  readonly heapKb: number;
  readonly residentKb: number;
}

export async function benchConsoleReaders(environment: Readonly<Record<string, string>>, token: string, count = READERS): Promise<void> {
  const bare = await costOf(bareStream, environment, token, count);
  const ours = await costOf(consolePage, environment, token, count);
  const row = (label: string, of: (cost: Cost) => number): readonly [string, string, string, string] => [
    label,
    of(bare).toFixed(2),
    of(ours).toFixed(2),
    `${(of(ours) / of(bare)).toFixed(2)} ×`,
  ];
  table(`One of ${count} readers of ${SESSIONS} sessions (cost of the server; a bare stream, a console, ratio)`, [
    row('to open it (ms of CPU)', ({ openMs }) => openMs),
    row(`a turn of ${PIECES} pieces (ms of CPU)`, ({ turnMs }) => turnMs),
    row('while open: heap and buffers (KB)', ({ heapKb }) => heapKb),
    row('while open: resident memory (KB)', ({ residentKb }) => residentKb),
  ]);
}

async function costOf(open: Open, environment: Readonly<Record<string, string>>, token: string, count: number): Promise<Cost> {
  const server = await ServerProcess.start({ ...SETTINGS, ...environment });
  try {
    const client = server.client(token);
    const ids = await Promise.all(Array.from({ length: SESSIONS }, () => client.session()));
    const openSome = async (some: number): Promise<readonly Opened[]> => {
      const opened: Opened[] = [];
      while (opened.length < some)
        opened.push(...(await Promise.all(Array.from({ length: OPENED_AT_ONCE }, (_, index) => open(server, token, ids[index % SESSIONS]!)))));
      return opened;
    };
    // What the first ones of a process cost belongs to the process.
    for (const one of await openSome(count / 5)) one.close();
    const before = await memoryOf(server);
    const cpu = await processorMs(server.pid);
    const readers = await openSome(count);
    const openMs = ((await processorMs(server.pid)) - cpu) / count;
    const after = await memoryOf(server);
    const idle = await processorMs(server.pid);
    const seen = readers.map(({ done }) => done());
    await Promise.all(ids.map((id) => client.prompt(id, `{{slow ${EVERY_MS}}}{{long ${PIECES}}}`)));
    await Promise.all(seen);
    const turnMs = ((await processorMs(server.pid)) - idle) / count;
    for (const reader of readers) reader.close();
    const used = ({ heapUsed, external }: NodeJS.MemoryUsage): number => heapUsed + external;
    return { openMs, turnMs, heapKb: (used(after) - used(before)) / count / 1_024, residentKb: (after.rss - before.rss) / count / 1_024 };
  } finally {
    await server.stop();
  }
}

const bareStream: Open = async (server, token, id) => {
  const reader = await Reader.open(server.url, `/v1/sessions/${id}/events/stream`, token);
  return { done: () => reader.reaches(PIECES), close: () => reader.close() };
};

/** As a page of the console does: who reads, the list of sessions and its changes, the names of people, and the conversation. */
const consolePage: Open = async (server, token, id) => {
  const client = createClient({ baseUrl: server.url, token });
  const controller = new AbortController();
  await client.getMe();
  await Promise.all([client.listSessions({ limit: 100 }), client.listUsers({ limit: 100 })]);
  void (async () => {
    for await (const _ of client.changes({ signal: controller.signal }));
  })().catch(() => undefined);
  let changed = (): void => undefined;
  const conversation = new Conversation(client, id, () => changed());
  const ended = conversation.follow().then(() => Promise.reject(new Error('The conversation ended.')));
  const becomes = (isSo: () => boolean): Promise<void> => {
    const isThere = new Promise<void>((resolve) => {
      changed = () => void (isSo() && resolve());
      changed();
    });
    return Promise.race([isThere, ended]);
  };
  ended.catch(() => undefined);
  await becomes(() => conversation.isLive && conversation.session !== null);
  const known = conversation.messages.length;
  return {
    done: () => becomes(() => conversation.messages.length >= known + 2 && conversation.turn === null),
    close: () => {
      conversation.close();
      controller.abort();
    },
  };
};
