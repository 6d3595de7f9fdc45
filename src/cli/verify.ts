import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { NodeCryptography } from '../platform/system/node-cryptography.js';
import { verifyLog } from '../../packages/proofs/verification/verify-log.js';
import { UsageError } from './usage-error.js';

/** `verbatim verify` */
export async function run(args: readonly string[]): Promise<number> {
  const verdict = await verdictOn(args).catch((error: unknown) => {
    throw error instanceof UsageError ? error : new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  });
  process.stdout.write(`${verdict.text}\n`);
  return verdict.isProven ? 0 : 1;
}

async function verdictOn(args: readonly string[]): ReturnType<typeof verifyLog> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { key: { type: 'string' } } });
  const [file, ...others] = positionals;
  if (!file || !values.key || others.length > 0) throw new UsageError('One file and --key are needed.');
  const key = values.key.includes('+') ? values.key : await readFile(values.key, 'utf8');
  return verifyLog(createInterface({ input: createReadStream(file), crlfDelay: Infinity }), key.trim(), new NodeCryptography());
}
