/**
 * A process that uses an embedded cluster and says what happens, one JSON line each; the spec kills it in various ways.
 * Argument: the data directory; none for a temporary cluster. The line `stop` on stdin, or Ctrl-C, ends it in order.
 */
import { createInterface } from 'node:readline';
import { startEmbeddedPostgres } from '../../src/adapters/postgres/embedded-postgres.js';
import { withConnection } from '../../src/adapters/postgres/connect.js';

const say = (event: string, detail: object = {}): void => console.log(JSON.stringify({ event, ...detail }));

const postgres = await startEmbeddedPostgres({
  ...(process.argv[2] === undefined ? {} : { dataDir: process.argv[2] }),
  database: 'app',
  onRestart: () => say('restarted', { pid: postgres.pid }),
});

async function stop(): Promise<void> {
  // What a draining application does: the server must still be there.
  const { rows } = await withConnection(postgres.url, 0, (client) => client.query<{ answer: number }>('SELECT 42 AS answer'));
  await postgres.stop();
  say('stopped', { answer: rows[0]?.answer });
  process.exit(0);
}

process.on('SIGINT', () => void stop());
createInterface({ input: process.stdin }).on('line', () => void stop());
say('ready', { url: postgres.url, pid: postgres.pid, dataDir: postgres.dataDir, started: postgres.started });
