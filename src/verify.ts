import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { NodeCryptography } from './adapters/system/node-cryptography.js';
import { verifyLog } from './core/verification/verify-log.js';

/**
 * `npm run -s verify -- export.jsonl --key KEY`: verifies an export with `format=log`, without a database or a network. KEY is the public key of the transparency log, or
 * the name of a file that has it. Ends with 0 when everything is proven, 1 when it is not, 2 for wrong arguments.
 */
const USAGE = 'Usage: npm run -s verify -- export.jsonl --key KEY\n  KEY: the public key of the transparency log (GET /v1/log/key), or a file that has it\n';

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { key: { type: 'string' } } });
  const [file, ...others] = positionals;
  if (!file || !values.key || others.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const key = values.key.includes('+') ? values.key : await readFile(values.key, 'utf8');
  const verdict = await verifyLog(createInterface({ input: createReadStream(file), crlfDelay: Infinity }), key.trim(), new NodeCryptography());
  process.stdout.write(`${verdict.text}\n`);
  return verdict.isProven ? 0 : 1;
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  return 2;
});
