import { DomainError } from '../../packages/protocol/errors.js';
import { LogArchives } from '../engine/store/log-archives.js';
import { openStorage } from '../platform/blobs/open-blobs.js';
import { readSettings } from '../platform/config/env.js';
import { openEncryption } from '../platform/encryption/open-encryption.js';
import { withDatabase } from './with-database.js';

interface Row {
  readonly tenant_id: string;
  readonly session_id: string;
}

const PAGE = 100;

const FIRST: Row = { tenant_id: '00000000-0000-0000-0000-000000000000', session_id: '00000000-0000-0000-0000-000000000000' };

/** `verbatim restore-sessions`: brings the logs of all archived sessions back, one after the other, beside running servers; repeated, it continues. */
export async function run(): Promise<number> {
  const settings = readSettings(process.env);
  const objects = await openStorage(settings);
  const encryption = await openEncryption(settings);
  try {
    return await withDatabase(settings, 'restore-sessions', async (database) => {
      const archives = new LogArchives(database, objects, encryption, { orphanMs: settings.BLOB_ORPHAN_MS });
      let [restored, failed] = [0, 0];
      for (let after: Row | undefined = FIRST; after;) {
        const { tenant_id: tenant, session_id: session }: Row = after;
        const rows: readonly Row[] = await database.run(
          (client) =>
            client.$queryRaw<
              Row[]
            >`SELECT tenant_id::text AS tenant_id, session_id::text AS session_id FROM archived_logs(${tenant}::uuid, ${session}::uuid, ${PAGE}::int)`,
        );
        for (const { tenant_id: tenantId, session_id: sessionId } of rows) {
          try {
            await archives.restore(tenantId, sessionId);
            restored += 1;
          } catch (error) {
            if (!(error instanceof DomainError)) throw error;
            failed += 1;
            process.stderr.write(`${error.message}\n`);
          }
        }
        after = rows.at(-1);
      }
      process.stdout.write(`The logs of ${restored} sessions are in the database again.\n`);
      if (failed > 0) process.stderr.write(`${failed} could not be brought back.\n`);
      return failed === 0 ? 0 : 1;
    });
  } finally {
    objects?.close();
  }
}
