import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { type SetupOptions, withConnection } from './connect.js';
import { DatabaseError } from './database-error.js';

interface Seen {
  readonly mark: string | null;
  readonly pid: number;
}

/**
 * Rejects an address whose connections share sessions of the server, as behind PgBouncer in transaction mode: locks of a session, LISTEN and SET would be lost, or, worse,
 * reach statements of others, such as commits that do not wait for the disk. Tried, not asked: two connections, of which one leaves a mark in its session. Throws a DatabaseError.
 */
export async function requireOwnSessions(url: string, waitMs: number, wait: SetupOptions): Promise<void> {
  const mark = randomUUID();
  const isShared = await withConnection(
    url,
    waitMs,
    async (first) => {
      const { rows } = await first.query<Seen>(`SELECT set_config('verbatim.session', $1, false) AS mark, pg_backend_pid() AS pid`, [mark]);
      return withConnection(
        url,
        waitMs,
        async (second) => {
          // The transaction keeps the session that a pooler gives it, so that the first connection gets another one.
          await second.query('BEGIN');
          const other = await look(second);
          if (other.mark === mark || other.pid === rows[0]!.pid) return true; // the first connection might wait for this session
          const own = await look(first);
          return own.mark !== mark || own.pid !== rows[0]!.pid;
        },
        wait,
      );
    },
    wait,
  );
  if (!isShared) return;
  throw new DatabaseError(
    'database_pooled',
    'DATABASE_URL leads to Postgres through a connection pooler that shares its sessions, such as PgBouncer in transaction mode. Migrations, the queue and live updates need ' +
      'separate sessions: set DATABASE_URL to Postgres itself, and DATABASE_APP_URL to the pooler.',
  );
}

async function look(client: Client): Promise<Seen> {
  const { rows } = await client.query<Seen>(`SELECT current_setting('verbatim.session', true) AS mark, pg_backend_pid() AS pid`);
  return rows[0]!;
}
