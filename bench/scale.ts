/** Two processes beside one, on the same cores and database: turns a second and statements a turn, in alternation. */
import { appLogin } from '../src/platform/postgres/app-role.js';
import { ServerProcess } from '../test/support/process.js';
import { prepareTemplate } from '../test/support/template.js';
import { makeTenant } from '../test/support/tenant.js';
import { startMeasuredServer } from './database-counters.js';
import { atOnce } from './load.js';
import { percentile, table } from './report.js';

const SESSIONS = 30;
const TURNS = 12;
const ROUNDS = 3;

interface Round {
  readonly turnsPerSecond: number;
  readonly statements: number;
  readonly first: number;
}

/** On Postgres alone and, when its address is given, with Redis. */
export async function benchScale(redisUrl: string | undefined): Promise<void> {
  await scale('on Postgres alone', {});
  if (redisUrl !== undefined) await scale('with Redis', { REDIS_URL: redisUrl });
}

async function scale(name: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const database = await startMeasuredServer();
  try {
    await prepareTemplate(database.url);
    const token = await makeTenant(appLogin(database.url).appUrl, 'scale');
    const [one, two]: [Round[], Round[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [processes, rounds] of [[1, one] as const, [2, two] as const]) {
        const servers: ServerProcess[] = [];
        try {
          while (servers.length < processes) servers.push(await ServerProcess.start({ LOG_LEVEL: 'silent', DATABASE_URL: database.url, ...environment }));
          const clients = servers.map((server) => server.client(token));
          await atOnce(clients, SESSIONS, 3); // compiled, connected, cached
          const [before, began] = [await database.read(), performance.now()];
          const { first, total } = await atOnce(clients, SESSIONS, TURNS);
          const seconds = (performance.now() - began) / 1_000;
          const after = await database.read();
          rounds.push({
            turnsPerSecond: total.length / seconds,
            statements: (after.statements - before.statements) / total.length,
            first: percentile(first, 0.5),
          });
        } finally {
          await Promise.all(servers.map((server) => server.stop()));
        }
      }
    }
    const median = (rounds: readonly Round[], of: (round: Round) => number): number => percentile(rounds.map(of), 0.5);
    const row = (name: string, of: (round: Round) => number): [string, string, string, string] => {
      const [alone, both] = [median(one, of), median(two, of)];
      return [name, `one ${alone.toFixed(1)}`, `two ${both.toFixed(1)}`, `${(both / alone).toFixed(2)} x`];
    };
    table(`Two processes beside one, same cores, ${name}, ${SESSIONS} sessions at once (medians of ${ROUNDS} rounds)`, [
      row('turns a second', ({ turnsPerSecond }) => turnsPerSecond),
      row('statements a turn', ({ statements }) => statements),
      row('POST → first delta, ms', ({ first }) => first),
    ]);
  } finally {
    await database.stop();
  }
}
