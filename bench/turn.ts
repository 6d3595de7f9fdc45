import { readFile } from 'node:fs/promises';
import type { Client } from '../test/support/client.js';
import { ServerProcess } from '../test/support/process.js';
import { figures, percentile, table } from './report.js';

/** From POST to the turn's end as a client sees it, and where the time goes by the log's own clock. Instant offline model. */
export async function benchTurns(backend: string, environment: Readonly<Record<string, string>>, token: string): Promise<void> {
  const server = await ServerProcess.start({ LOG_LEVEL: 'silent', ...environment });
  try {
    const client = server.client(token);
    await oneByOne(client, 'warm-up', 30, false);
    process.stdout.write(`\n── ${backend} ──\n`);
    await oneByOne(client, 'one session', 200, true);
    await growing(client);
    await manySessions(client, 50, 10);
  } finally {
    await server.stop();
  }
}

const STAGES: readonly (readonly [label: string, from: string, to: string])[] = [
  ['accepted → prepared (relay, queue, hooks)', 'turn.started', 'turn.prepared'],
  ['prepared → sent (payload)', 'turn.prepared', 'request.sent'],
  ['sent → answered (model)', 'request.sent', 'turn.completed'],
];

/** Waits on the event stream, as a chat client does. */
async function oneByOne(client: Client, label: string, turns: number, report: boolean): Promise<void> {
  const id = await client.session();
  const stream = await client.stream(id);
  const total: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const started = performance.now();
    const { turnId } = (await client.prompt(id, `prompt ${turn}`)).body;
    await stream.until((event) => event.event === 'turn.completed' && event.data.data.turnId === turnId);
    total.push(performance.now() - started);
  }
  stream.close();
  if (!report) return;
  const events = await client.events(id);
  const at = (type: string): number[] => events.filter((event) => event.type === type).map((event) => Date.parse(event.time));
  table(`A turn, ${label}, ${turns} in a row (ms)`, [
    figures('POST → turn.completed on the stream', total),
    ...STAGES.map(([stage, from, to]) => figures(`  ${stage}`, at(to).map((time, index) => time - at(from)[index]!))),
  ]);
}

/** The first and the last turns of a long session: a turn must not cost more because much was said before it. */
async function growing(client: Client): Promise<void> {
  const id = await client.session();
  const took: number[] = [];
  for (let turn = 0; turn < 300; turn += 1) {
    const started = performance.now();
    await client.ask(id, `prompt ${turn} ${'word '.repeat(200)}`);
    took.push(performance.now() - started);
  }
  const early = took.slice(20, 70);
  const late = took.slice(-50);
  table('A turn in a session that grows to 300 turns of 1 KB (ms)', [
    figures('turns 20 to 70', early),
    figures('turns 250 to 300', late),
    ['  ratio of the medians', (percentile(late, 0.5) / percentile(early, 0.5)).toFixed(2), '', ''],
  ]);
}

async function manySessions(client: Client, sessions: number, turns: number): Promise<void> {
  const took: number[] = [];
  const began = performance.now();
  await Promise.all(
    Array.from({ length: sessions }, async () => {
      const id = await client.session();
      for (let turn = 0; turn < turns; turn += 1) {
        const started = performance.now();
        await client.ask(id, `prompt ${turn}`);
        took.push(performance.now() - started);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  table(`${sessions} sessions at once, ${turns} turns each (ms)`, [figures('a turn', took), ['  turns a second', (took.length / seconds).toFixed(0), '', '']]);
}

/** Memory of one process that serves `streams` open streams while `turns` turns run. */
export async function benchStreams(backend: string, environment: Readonly<Record<string, string>>, token: string, streams = 200, turns = 50): Promise<void> {
  const server = await ServerProcess.start({ LOG_LEVEL: 'silent', ...environment });
  try {
    const client = server.client(token);
    const ids = await Promise.all(Array.from({ length: turns }, () => client.session()));
    const idle = await residentMiB(server.pid);
    const open = await Promise.all(Array.from({ length: streams }, (_, index) => client.stream(ids[index % turns]!)));
    const running = await Promise.all(ids.map(async (id) => (await client.prompt(id, '{{slow 10}}{{long 300}}')).body));
    let peak = 0;
    const watch = setInterval(() => void residentMiB(server.pid).then((mib) => (peak = Math.max(peak, mib))), 100);
    await Promise.all(ids.map((id, index) => client.settled(id, running[index].turnId)));
    await Promise.all(open.map((stream) => stream.untilType('turn.completed')));
    clearInterval(watch);
    const deltas = open.reduce((sum, stream) => sum + stream.events.filter((event) => event.event === 'message.delta').length, 0);
    for (const stream of open) stream.close();
    table(`${streams} open streams, ${turns} running turns (one process, ${backend})`, [
      ['  resident MiB: idle', idle.toFixed(0), '', ''],
      ['  resident MiB: peak', peak.toFixed(0), '', ''],
      ['  pieces delivered', String(deltas), '', ''],
    ]);
  } finally {
    await server.stop();
  }
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
