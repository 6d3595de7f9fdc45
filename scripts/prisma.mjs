// The Prisma CLI without its download. Every Prisma 7 command, even `generate`, first fetches a native schema engine and
// fails without a network; naming an engine of our own in PRISMA_SCHEMA_ENGINE_BINARY avoids that.
// `npx prisma …` is untouched and uses the native engine, and so does this script when that variable is already set.
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const prismaManifest = createRequire(import.meta.url).resolve('prisma/package.json');
const commandLine = path.join(path.dirname(prismaManifest), 'build', 'index.js');
const commandArguments = process.argv.slice(2);

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
    // A checkout that belongs to another account: `generate` only asks that the file exists.
  }
}
