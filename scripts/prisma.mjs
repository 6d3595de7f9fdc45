// The Prisma CLI without its download. Every Prisma 7 command, even `generate`, first fetches a native schema engine and
// fails without a network; an engine of our own in PRISMA_SCHEMA_ENGINE_BINARY avoids that.
// `npx prisma …` is untouched and uses the native engine, and so does this script when that variable is already set.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const prismaManifest = createRequire(import.meta.url).resolve('prisma/package.json');
const commandLine = path.join(path.dirname(prismaManifest), 'build', 'index.js');
const commandArguments = process.argv.slice(2);

if (existsSync('.env')) process.loadEnvFile('.env'); // as prisma.config.ts does
if (needsDatabase(commandArguments) && !process.env.DATABASE_URL) {
  console.error(
    `DATABASE_URL is not set, and \`prisma ${commandArguments.slice(0, 2).join(' ')}\` needs a running PostgreSQL server.\n` +
      'Set it in the environment or in .env to a database for development, for example:\n' +
      '  DATABASE_URL=postgresql://user:password@localhost:5432/verbatim\n' +
      'The user needs CREATEDB, since Prisma applies the migrations to a temporary database, and CREATEROLE, since they create the role verbatim_app.',
  );
  process.exit(1);
}

const runAs = { ...process.env, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' };
runAs.PRISMA_SCHEMA_ENGINE_BINARY ??= ownEngine();

// A build prints nothing when all is well.
const quiet = commandArguments.length === 1 && commandArguments[0] === 'generate';
const { status, stdout, stderr } = spawnSync(process.execPath, [commandLine, ...commandArguments], {
  stdio: quiet ? 'pipe' : 'inherit',
  env: runAs,
});
if (quiet && status !== 0) process.stderr.write(`${stdout}${stderr}`);
process.exit(status ?? 1);

/** The other commands (`generate`, `validate`, `format`) read files only. */
function needsDatabase([command, ...options]) {
  if (options.some((option) => /^(-h|--help|--url|--config)\b/.test(option))) return false;
  return command === 'studio' || (['migrate', 'db'].includes(command) && options.length > 0);
}

/** On Windows a script cannot stand in for a binary: any file lets `generate` and `validate` run, `migrate` does not. */
function ownEngine() {
  if (process.platform === 'win32') return process.execPath;
  const engine = fileURLToPath(new URL('schema-engine', import.meta.url));
  chmodIfOurs(engine);
  return engine;
}

/** The executable bit is lost in some archives. */
function chmodIfOurs(file) {
  try {
    chmodSync(file, 0o755);
  } catch {
    // A checkout that belongs to another account: `generate` only requires that the file exists.
  }
}
