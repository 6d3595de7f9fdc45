import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { DomainError } from '../../packages/protocol/errors.js';
import { readVerifierKey } from '../../packages/proofs/note.js';
import { openedRow } from '../engine/store/log-row.js';
import { openEncryption, openKeyRing } from '../platform/encryption/open-encryption.js';
import { readSettings, type Settings } from '../platform/config/env.js';
import { withConnection } from '../platform/postgres/connect.js';
import { NodeCryptography } from '../platform/system/node-cryptography.js';
import { restoreTenant, type RestoreOptions } from '../platform/tenant-unit/restore-tenant.js';
import { UnitError } from '../platform/tenant-unit/unit-error.js';
import { UsageError } from './usage-error.js';
import { withDatabase } from './with-database.js';

/** `verbatim restore-tenant` */
export async function run(args: readonly string[]): Promise<number> {
  const { file, verifier } = await given(args);
  const { sha256, verify } = new NodeCryptography();
  const key = readVerifierKey(sha256, verifier);
  if (!key) throw new UsageError('The key is not the public key of a transparency log.');
  const settings = readSettings(process.env);
  const keys = await keysOf(settings);
  return withDatabase(settings, 'restore-tenant', async (_, { ownerUrl }) => {
    const options = { lines: linesOf(file), key, verifier, sha256, verify, ...keys };
    const { name, sessions, note } = await withConnection(ownerUrl, settings.DATABASE_TIMEOUT_MS, (owner) => restoreTenant(owner, options));
    process.stdout.write(
      `The tenant ${name} is here, with ${sessions} sessions. Its files are in the database; verbatim move-blobs moves them to BLOB_STORE.\n\n${note}`,
    );
    return 0;
  });
}

/**
 * One line at a time, so that large rows are not read ahead. Only U+000A ends a line: texts contain U+2028, at which `readline` of Node 24 would end one, too.
 */
async function* linesOf(file: string): AsyncGenerator<string> {
  const input: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file);
  let parts: Buffer[] = [];
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]).toString();
      [parts, from] = [[], end + 1];
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  if (parts.length > 0) yield Buffer.concat(parts).toString();
}

const LINE_END = 0x0a;

async function given(args: readonly string[]): Promise<{ readonly file: string; readonly verifier: string }> {
  const { values, positionals } = parse(args);
  const [file, ...others] = positionals;
  if (!file || !values.key || others.length > 0) throw new UsageError('One file and --key are needed.');
  return { file, verifier: (values.key.includes('+') ? values.key : await readFile(values.key, 'utf8')).trim() };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: { key: { type: 'string' } } });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/** The data keys of the file are those that the settings of the target can unwrap: it has the keys of the source besides its own. */
async function keysOf(settings: Settings): Promise<Pick<RestoreOptions, 'rewrap' | 'open'>> {
  const ring = await openKeyRing(settings);
  const encryption = await openEncryption(settings);
  return {
    rewrap: async (id, keyId, wrapped) => {
      if (!ring?.has(keyId)) throw missing(keyId);
      const key = await ring.unwrap({ keyId, wrapped }, id).catch((error: unknown) => {
        throw error instanceof DomainError ? missing(keyId) : error;
      });
      return ring.wrap(key, id);
    },
    open: async (row, sessionId, stored) => {
      const opened = openedRow(row, encryption.known(sessionId) ?? (await encryption.unwrap(stored)), sessionId);
      return opened === row ? null : opened;
    },
  };
}

const missing = (keyId: string): UnitError =>
  new UnitError(
    'key_unavailable',
    `Content of the tenant is encrypted with the key ${keyId}: add it to the settings of this deployment, after its own, and repeat. It may be removed afterwards.`,
  );
