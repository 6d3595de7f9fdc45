import { type Answer, type Client, freshKey, type UnknownObject } from '../test/support/client.js';
import { ServerProcess } from '../test/support/process.js';
import { until } from '../test/support/until.js';
import { figures, table } from './report.js';

const CLIENTS = 24;
const REPLACEMENTS = 6;
/** About 1.5 s of an answer. */
const PROMPT = '{{slow 20}}{{long 75}}';

interface Seen {
  readonly waits: number[];
  turns: number;
  askedTwice: number;
  resets: number;
  refused: number;
}

/**
 * Two processes, which are replaced one after the other under load with the default grace: a new one starts, and the old one gets SIGTERM. Clients keep their connections and send a prompt when
 * the turn before has ended, to a process that says it is ready. Counts turns that asked the model more than once, connections that were reset, and requests that were refused.
 */
export async function benchRolling(backend: string, environment: Readonly<Record<string, string>>, token: string): Promise<void> {
  const start = (): Promise<ServerProcess> => ServerProcess.start({ LOG_LEVEL: 'silent', ...environment });
  const running = [await start(), await start()];
  const calm: Seen = { waits: [], turns: 0, askedTwice: 0, resets: 0, refused: 0 };
  const rolling: Seen = { waits: [], turns: 0, askedTwice: 0, resets: 0, refused: 0 };
  let seen = calm;
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    talk(
      running,
      token,
      index,
      () => seen,
      () => isOver,
    ),
  );
  try {
    await until('the clients have had turns', async () => calm.turns >= 4 * CLIENTS);
    seen = rolling;
    for (let replaced = 0; replaced < REPLACEMENTS; replaced += 1) {
      const next = await start();
      const old = running.shift()!;
      running.push(next);
      await old.stop();
    }
    isOver = true;
    await Promise.all(clients);
  } finally {
    isOver = true;
    await Promise.all(running.map((server) => server.stop()));
  }
  const counts = ({ turns, askedTwice, resets, refused }: Seen): string => `${turns} turns: ${askedTwice} asked twice, ${resets} reset, ${refused} refused`;
  table(`${REPLACEMENTS} replacements of a process under ${CLIENTS} clients (${backend}; from a prompt to its request, ms)`, [
    figures('nothing is replaced', calm.waits),
    figures('processes are replaced', rolling.waits),
    ['nothing is replaced', counts(calm)],
    ['processes are replaced', counts(rolling)],
  ]);
}

/** One turn after another in one session, as a client behind a load balancer has them. A turn that an upgrade interrupts is waited for at another process. */
async function talk(running: readonly ServerProcess[], token: string, index: number, seen: () => Seen, isOver: () => boolean): Promise<void> {
  const client = (): Client => running[index % running.length]!.client(token);
  const id = await client().session();
  while (!isOver()) {
    const now = seen();
    const key = freshKey();
    const send = (): Promise<Answer<UnknownObject> | null> => tried(now, client(), (to) => to.post(`/v1/sessions/${id}/prompts`, { input: PROMPT }, key));
    let accepted = await send();
    while (!accepted) accepted = await send();
    let turn: UnknownObject = null;
    // At the process that accepted the prompt as long as it answers.
    for (let to = client(); turn === null || turn.endedAt === null; to = client()) {
      turn = (await tried(now, to, (asked) => asked.get(`/v1/sessions/${id}/turns/${accepted.body.turnId}?wait=30`)))?.body ?? turn;
    }
    now.turns += 1;
    if (turn.requests.length > 1) now.askedTwice += 1;
    now.waits.push(Date.parse(turn.requests[0].sentAt) - Date.parse(turn.startedAt));
  }
}

/** Null: there was no answer, or one that says that another process has to be asked. */
async function tried(seen: Seen, to: Client, ask: (client: Client) => Promise<Answer<UnknownObject>>): Promise<Answer<UnknownObject> | null> {
  try {
    const answer = await ask(to);
    if (answer.status < 300) return answer;
    seen.refused += 1;
  } catch (error) {
    // A process that has ended takes no connections: a load balancer asks the next one.
    if ((error as { readonly cause?: { readonly code?: string } }).cause?.code === 'ECONNREFUSED') seen.refused += 1;
    else seen.resets += 1;
  }
  return null;
}
