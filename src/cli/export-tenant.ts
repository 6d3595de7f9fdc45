import { once } from 'node:events';
import { readCheckpoint } from '../../packages/proofs/checkpoint.js';
import { fromHex } from '../../packages/proofs/hex.js';
import { leafHashOf } from '../../packages/proofs/leaf.js';
import { equal } from '../../packages/proofs/tree.js';
import { TileCache } from '../engine/audit/tile-cache.js';
import { TransparencyQueries } from '../engine/audit/transparency-queries.js';
import { CheckpointSigner } from '../features/proofs/checkpoint-signer.js';
import { PostgresTransparencyLog } from '../features/proofs/log-store/postgres-transparency-log.js';
import { openStorage } from '../platform/blobs/open-blobs.js';
import { objectName } from '../platform/blobs/postgres-blobs.js';
import type { Settings } from '../platform/config/env.js';
import { NodeCryptography } from '../platform/system/node-cryptography.js';
import { exportTenant, type SourceLog } from '../platform/tenant-unit/export-tenant.js';
import type { SignedCheckpoint } from '../ports/index.js';
import { withTenant } from './with-tenant.js';

const cryptography = new NodeCryptography();

/** Of one file, as stored: more than the largest that is accepted. */
const OBJECT_BYTES = 1024 * 1024 * 1024;

/** `verbatim export-tenant`: the file on standard output, the note on standard error. */
export async function run([tenant]: readonly string[]): Promise<number> {
  return withTenant(tenant, 'export-tenant', async (owner, tenantId, settings, { appUrl }) => {
    const log = new PostgresTransparencyLog({ url: appUrl, timeoutMs: settings.DATABASE_TIMEOUT_MS, applicationName: 'verbatim export-tenant' });
    const objects = await openStorage(settings);
    try {
      const object = async (id: string): Promise<Uint8Array | null> => (await objects?.get(objectName(tenantId, id), OBJECT_BYTES)) ?? null;
      const { lines, note } = await exportTenant(owner, { tenantId, log: sourceLog(log, settings), object, write });
      process.stderr.write(`${lines} lines.\n\n${note}`);
    } finally {
      objects?.close();
      await log.close();
    }
  });
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

function sourceLog(log: PostgresTransparencyLog, settings: Settings): SourceLog {
  const transparency = new TransparencyQueries(log, cryptography);
  const signer = new CheckpointSigner(log, cryptography, settings);
  let signed: SignedCheckpoint;
  let tiles: TileCache;
  return {
    head: async () => {
      const head = await log.head();
      const checkpoint = head && readCheckpoint(head.note);
      if (!checkpoint) return null;
      [signed, tiles] = [head, new TileCache(log, head.size)];
      return { note: head.note, checkpoint };
    },
    proof: async (tenantId, sessionId, seq, hash) => {
      const run = await log.lastRunOf(tenantId, sessionId, seq, signed.size);
      const leaf = leafHashOf(cryptography.sha256, { sessionId, seq, hash: fromHex(hash) });
      if (!run?.hashes[seq - run.firstSeq] || !equal(run.hashes[seq - run.firstSeq]!, leaf)) return null;
      const leafIndex = run.firstIndex + seq - run.firstSeq;
      const { hashes } = await transparency.inclusion(leafIndex, { sessionId, seq, hash }, signed, tiles);
      return { leafIndex, hashes };
    },
    sign: (text) => signer.signText(text),
  };
}
