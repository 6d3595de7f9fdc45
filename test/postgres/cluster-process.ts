/**
 * A process that uses an embedded cluster and reports its events as JSON lines; the spec kills it.
 * Argument: the data directory; none for a temporary cluster. The line `stop` on stdin, or Ctrl-C, stops it.
 */
import { createInterface } from 'node:readline';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.js';
import { withConnection } from '../../src/platform/postgres/connect.js';

const report = (event: string, detail: object = {}): void => console.log(JSON.stringify({ event, ...detail }));

const postgres = await startEmbeddedPostgres({
  ...(process.argv[2] === undefined ? {} : { dataDir: process.argv[2] }),
  database: 'app',
  onRestart: () => report('restarted', { pid: postgres.pid }),
});

async function stop(): Promise<void> {
  // Like a draining application, which still needs the server.
  const { rows } = await withConnection(postgres.url, 60_000, (client) => client.query<{ answer: number }>('SELECT 42 AS answer'));
  await postgres.stop();
  report('stopped', { answer: rows[0]?.answer });
  process.exit(0);
}

process.on('SIGINT', () => void stop());
createInterface({ input: process.stdin }).on('line', () => void stop());
report('ready', { url: postgres.url, pid: postgres.pid, dataDir: postgres.dataDir, started: postgres.started });
