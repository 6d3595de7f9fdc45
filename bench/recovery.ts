import { setTimeout as pause } from 'node:timers/promises';
import { ServerProcess } from '../test/support/process.js';
import { MARKS, marked } from './marks.js';
import { figures, table } from './report.js';

/** A process that has just started does not judge whether others have died. */
const SETTLED_MS = 6_000;

/** How long a turn is interrupted when its worker is killed, and when it is stopped by SIGTERM, with another worker running and the default settings. */
export async function benchRecovery(backend: string, environment: Readonly<Record<string, string>>, token: string, rounds = 5): Promise<void> {
  const settings = { LOG_LEVEL: 'silent', SHUTDOWN_GRACE_MS: '1', ...environment };
  const api = await ServerProcess.start({ ...settings, ROLE: 'api' });
  const client = api.client(token);
  const worker = (): Promise<ServerProcess> => ServerProcess.start({ ...settings, ROLE: 'worker' });
  const stoodStill = async (end: 'kill' | 'stop'): Promise<number> => {
    const first = await worker();
    const id = await client.session();
    const stream = await client.stream(id);
    await client.prompt(id, '{{slow 20}}{{long 3000}}');
    await stream.untilType('message.delta');
    const second = await worker();
    await pause(SETTLED_MS);
    const ended = Date.now();
    void first[end]();
    let requests = 0;
    const again = await stream.until((event) => event.event === 'request.sent' && (requests += 1) === 2);
    await client.post(`/v1/sessions/${id}/interrupt`);
    await stream.untilType('turn.interrupted');
    stream.close();
    await Promise.all([first.exited, second.stop()]);
    return Date.parse(again.data.time) - ended;
  };
  try {
    const [killed, stopped]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      killed.push(await stoodStill('kill'));
      stopped.push(await stoodStill('stop'));
    }
    table(`From the end of a worker to the next request of its turn (${backend}; ms)`, [
      [...figures('kill -9', killed), marked(MARKS.continuedMs)],
      figures('SIGTERM, no time to finish', stopped),
    ]);
  } finally {
    await api.stop();
  }
}
