import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../test/support/client.js';
import type { EventReader } from '../test/support/event-reader.js';
import { ServerProcess } from '../test/support/process.js';
import { figures, table } from './report.js';

/** Memory of one process that serves `streams` open streams while `turns` turns run. */
export async function benchStreams(backend: string, environment: Readonly<Record<string, string>>, token: string, streams = 200, turns = 50): Promise<void> {
  const server = await ServerProcess.start({ LOG_LEVEL: 'silent', ...environment });
  try {
    const client = server.client(token);
    const ids = await Promise.all(Array.from({ length: turns }, () => client.session()));
    const idle = await residentMiB(server.pid);
    const open = await Promise.all(Array.from({ length: streams }, (_, index) => client.stream(ids[index % turns]!)));
    const peak = watchMemory(server.pid);
    const running = await Promise.all(ids.map(async (id) => (await client.prompt(id, '{{slow 10}}{{long 300}}')).body));
    await Promise.all(ids.map((id, index) => client.settled(id, running[index].turnId)));
    await Promise.all(open.map((stream) => stream.untilType('turn.completed')));
    const deltas = open.reduce((sum, stream) => sum + stream.events.filter((event) => event.event === 'message.delta').length, 0);
    for (const stream of open) stream.close();
    table(`${streams} open streams, ${turns} running turns (one process, ${backend})`, [
      ['  resident MiB: idle, peak', idle.toFixed(0), peak().toFixed(0), ''],
      ['  pieces delivered', String(deltas), '', ''],
    ]);
  } finally {
    await server.stop();
  }
}

export interface Audience {
  readonly sessions: number;
  readonly streamsEach: number;
  readonly turnsPerSecond: number;
  readonly seconds: number;
}

const AUDIENCE: Audience = { sessions: 100, streamsEach: 10, turnsPerSecond: 20, seconds: 15 };

/** Many readers of many sessions, with turns at a constant rate: the delay of stored events, and whether any is missing. */
export async function benchAudience(backend: string, environment: Readonly<Record<string, string>>, token: string, audience = AUDIENCE): Promise<void> {
  const { sessions, streamsEach, turnsPerSecond, seconds } = audience;
  const server = await ServerProcess.start({ LOG_LEVEL: 'silent', ...environment });
  try {
    const client = server.client(token);
    const ids = await Promise.all(Array.from({ length: sessions }, () => client.session()));
    const delays: number[] = [];
    const open: { readonly id: string; readonly reader: EventReader }[] = [];
    for (const id of ids) open.push(...(await Promise.all(Array.from({ length: streamsEach }, async () => ({ id, reader: await client.stream(id) })))));
    await Promise.all(open.map(({ reader }) => reader.untilType('synced')));
    for (const { reader } of open)
      void reader.until(({ id, data }) => (id !== null && delays.push(Date.now() - Date.parse(data.time)), false)).catch(() => undefined);
    delays.length = 0;
    const peak = watchMemory(server.pid);
    await steadily(client, ids, turnsPerSecond, seconds);
    const lost = await missing(client, ids, open);
    for (const { reader } of open) reader.close();
    table(`${open.length} streams on ${sessions} sessions, ${turnsPerSecond} turns a second for ${seconds} s (${backend}; ms from the commit to the reader)`, [
      figures('a stored event', delays),
      ['  stored events delivered, missing', String(delays.length), String(lost.events), ''],
      ['  pieces delivered, missing', String(lost.pieces), String(lost.missingPieces), ''],
      ['  resident MiB at the peak', peak().toFixed(0), '', ''],
    ]);
  } finally {
    await server.stop();
  }
}

async function steadily(client: Client, ids: readonly string[], perSecond: number, seconds: number): Promise<void> {
  const began = performance.now();
  const asked: Promise<unknown>[] = [];
  for (let turn = 0; turn < perSecond * seconds; turn += 1) {
    const id = ids[turn % ids.length]!;
    asked.push(client.prompt(id, `{{say this is what was asked for in turn ${turn}}}`).then(({ body }) => client.settled(id, body.turnId)));
    await pause(Math.max(0, began + (turn * 1_000) / perSecond - performance.now()));
  }
  await Promise.all(asked);
}

/** Compares the events of every reader with the log, and the deltas of each reader of a session with those of the reader that has most. */
async function missing(client: Client, ids: readonly string[], open: readonly { readonly id: string; readonly reader: EventReader }[]) {
  const sum = { events: 0, pieces: 0, missingPieces: 0 };
  for (const id of ids) {
    const last = (await client.get(`/v1/sessions/${id}`)).body.version;
    const readers = open.filter((each) => each.id === id).map(({ reader }) => reader);
    await Promise.all(readers.map((reader) => Promise.race([reader.until((event) => event.id === String(last)), pause(5_000)])));
    const pieces = readers.map((reader) => reader.events.filter((event) => event.event === 'message.delta').length);
    for (const [index, reader] of readers.entries()) {
      sum.events += last - new Set(reader.stored().map((event) => event.id)).size;
      sum.pieces += pieces[index]!;
      sum.missingPieces += Math.max(...pieces) - pieces[index]!;
    }
  }
  return sum;
}

/** Returns a function that stops it and returns the peak in MiB. */
function watchMemory(pid: number): () => number {
  let peak = 0;
  const watch = setInterval(() => void residentMiB(pid).then((mib) => (peak = Math.max(peak, mib))), 100);
  return () => {
    clearInterval(watch);
    return peak;
  };
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
