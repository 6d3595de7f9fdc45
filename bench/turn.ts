import { readFile } from 'node:fs/promises';
import type { Client } from '../test/support/client.js';
import { ServerProcess } from '../test/support/process.js';
import { MARKS, marked } from './marks.js';
import { figures, percentile, table } from './report.js';

/** Turns per second and duration of a turn as a client sees them, and its parts by the times in the log. Instant offline model. */
export async function benchTurns(backend: string, environment: Readonly<Record<string, string>>, token: string): Promise<void> {
  const server = await ServerProcess.start({ LOG_LEVEL: 'silent', ...environment });
  try {
    const client = server.client(token);
    await oneByOne(client, 'warm-up', 30, false);
    process.stdout.write(`\n── ${backend} ──\n`);
    await oneByOne(client, 'one session', 200, true);
    await growing(client);
    for (const [sessions, turns] of [
      [1, 200],
      [10, 60],
      [200, 8],
    ] as const)
      await manySessions(client, server.pid, sessions, turns);
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
  const [accepted, first, total]: [number[], number[], number[]] = [[], [], []];
  for (let turn = 0; turn < turns; turn += 1) {
    const seen = stream.events.length;
    const started = performance.now();
    const answer = client.prompt(id, `prompt ${turn}`);
    const taking = answer.then(() => accepted.push(performance.now() - started));
    let index = 0;
    await stream.until((event) => (index += 1) > seen && event.event === 'message.delta');
    first.push(performance.now() - started);
    const { turnId } = (await answer).body;
    await stream.until((event) => event.event === 'turn.completed' && event.data.data.turnId === turnId);
    total.push(performance.now() - started);
    await taking;
  }
  stream.close();
  if (!report) return;
  const events = await client.events(id);
  const at = (type: string): number[] => events.filter((event) => event.type === type).map((event) => Date.parse(event.time));
  table(`A turn, ${label}, ${turns} in a row (ms)`, [
    figures('POST → 202', accepted),
    figures('POST → first delta on the stream', first),
    figures('POST → turn.completed on the stream', total),
    ...STAGES.map(([stage, from, to]) =>
      figures(
        `  ${stage}`,
        at(to).map((time, index) => time - at(from)[index]!),
      ),
    ),
  ]);
}

/** The first and the last turns of a long session: the cost of a turn should not depend on the length of the conversation. */
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
    ['  ratio of the medians', (percentile(late, 0.5) / percentile(early, 0.5)).toFixed(2), '', marked(MARKS.turn300)],
  ]);
}

/** The rate, and the server's CPU time per turn, which depends less on other load. */
async function manySessions(client: Client, pid: number, sessions: number, turns: number): Promise<void> {
  const took: number[] = [];
  const ids = await Promise.all(Array.from({ length: sessions }, () => client.session()));
  const before = await processorMs(pid);
  const began = performance.now();
  await Promise.all(
    ids.map(async (id) => {
      for (let turn = 0; turn < turns; turn += 1) {
        const started = performance.now();
        await client.ask(id, `prompt ${turn}`);
        took.push(performance.now() - started);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  table(`${sessions} ${sessions === 1 ? 'session' : 'sessions at once'}, ${turns} turns each (ms)`, [
    figures('a turn', took),
    ['  turns a second', (took.length / seconds).toFixed(0), '', sessions === 200 ? marked(MARKS.turnsPerSecondAt200) : ''],
    ['  processor time of the server, a turn', (((await processorMs(pid)) - before) / took.length).toFixed(1), '', ''],
  ]);
}

/** CPU time of a process in milliseconds, in steps of ten. */
async function processorMs(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
