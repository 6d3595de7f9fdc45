// `npm run generate`: makes src/generated/prisma from prisma/schema.prisma again, with the Prisma command line in the version of @prisma/client, which npx
// fetches into its own folder. With --check nothing is written: a committed client that differs is an error (status 1); status 3: it could not be made.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from './run.mjs';

const SCHEMA = 'prisma/schema.prisma';
const CLIENT = 'src/generated/prisma';
/** In the client's folder, so that they go together; a test compares it with the schema. */
const STAMP = '.generated-from';

const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const version = dependencies['@prisma/client'];

const folder = mkdtempSync(path.join(tmpdir(), 'verbatim-client-'));
try {
  cpSync(path.join(root, SCHEMA), path.join(folder, SCHEMA));
  // `generate` asks for a native engine that it does not use: any file will do, and nothing more is downloaded.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' };
  try {
    execFileSync('npx', ['--yes', `prisma@${version}`, 'generate', '--schema', SCHEMA], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    process.stderr.write(`prisma@${version} could not be fetched or run: ${error.message}\n`);
    rmSync(folder, { recursive: true, force: true });
    process.exit(3);
  }
  const digest = createHash('sha256')
    .update(readFileSync(path.join(root, SCHEMA)))
    .digest('hex');
  writeFileSync(path.join(folder, CLIENT, STAMP), `prisma ${version}, schema ${digest}\n`);
  if (process.argv.includes('--check')) compare();
  else {
    rmSync(path.join(root, CLIENT), { recursive: true, force: true });
    cpSync(path.join(folder, CLIENT), path.join(root, CLIENT), { recursive: true });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function compare() {
  const [made, committed] = [folder, root].map((base) => filesOf(path.join(base, CLIENT)));
  const different = [...new Set([...made.keys(), ...committed.keys()])].filter((file) => made.get(file) !== committed.get(file));
  if (different.length === 0) return;
  process.stderr.write(
    `These files in ${CLIENT} are not what prisma@${version} generates from ${SCHEMA}: ${different.join(', ')}\nRun \`npm run generate\` and commit.\n`,
  );
  process.exitCode = 1;
}

function filesOf(base) {
  const files = readdirSync(base, { recursive: true }).filter((file) => statSync(path.join(base, file)).isFile());
  return new Map(files.map((file) => [file, readFileSync(path.join(base, file), 'utf8')]));
}
