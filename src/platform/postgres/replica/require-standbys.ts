import { placeOf } from '../../config/database-url.js';
import { connect, type SetupOptions, withConnection } from '../connect.js';
import { DatabaseError, errorText } from '../database-error.js';

/** Milliseconds for the answer of a standby: a start does not wait for a silent one. */
const ANSWER_MS = 5_000;

/** Without functions of the schema, which another database does not have. */
const SERVER = `SELECT s.system_identifier || '/' || d.oid AS identity, pg_is_in_recovery() AS standby
  FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()`;

/**
 * Rejects an address that leads to another database: it would answer with other data, or none. Reports, and accepts, a server that cannot be reached, or is no standby at present, such as one that
 * was promoted: a start must not depend on standbys. Throws a DatabaseError.
 *
 * @param appUrl the application's login on the primary
 * @param standbyUrls the same login at the addresses of the standbys
 */
export async function requireStandbys(appUrl: string, standbyUrls: readonly string[], { report = () => undefined, ...wait }: SetupOptions): Promise<void> {
  const primary = await withConnection(appUrl, 0, async (client) => (await client.query<{ identity: string }>(SERVER)).rows[0]!.identity, wait);
  for (const url of standbyUrls) {
    const found = await serverAt(url, { ...wait, setupTimeoutMs: ANSWER_MS }).catch((error: unknown) => {
      wait.signal?.throwIfAborted();
      report(`The standby at ${placeOf(url)} cannot be asked what it is, and is tried again by reads: ${errorText(error)}`);
      return null;
    });
    if (found && found.identity !== primary) {
      throw new DatabaseError(
        'standby_foreign',
        `DATABASE_READ_URL: the server at ${placeOf(url)} has another database than that of DATABASE_URL (${found.identity} and ${primary}: the identifier of the server and the number of the database). ` +
          'Name a physical standby of it, made by pg_basebackup or by your provider, and the same database.',
      );
    }
    if (found && !found.standby) report(`The server at ${placeOf(url)} is no standby; the primary answers reads until it is one.`);
  }
}

async function serverAt(url: string, wait: SetupOptions): Promise<{ readonly identity: string; readonly standby: boolean }> {
  const client = await connect(url, 0, wait);
  try {
    return (await client.query<{ identity: string; standby: boolean }>(SERVER)).rows[0]!;
  } finally {
    await client.end();
  }
}
