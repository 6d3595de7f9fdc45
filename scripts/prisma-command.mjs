// How the Prisma CLI runs without its download. Every Prisma 7 command, even `generate`, first fetches a native schema engine and
// fails without a network; an engine of our own in PRISMA_SCHEMA_ENGINE_BINARY avoids that.
// `npx prisma …` is untouched and uses the native engine, and so does this when that variable is already set.
import { chmodSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const manifest = createRequire(import.meta.url).resolve('prisma/package.json');

export const prismaVersion = createRequire(import.meta.url)(manifest).version;

/** The CLI's entry point, for `process.execPath`. */
export const prismaCli = path.join(path.dirname(manifest), 'build', 'index.js');

export const prismaEnvironment = () => ({
  ...process.env,
  CHECKPOINT_DISABLE: '1',
  PRISMA_HIDE_UPDATE_MESSAGE: '1',
  PRISMA_SCHEMA_ENGINE_BINARY: process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? ownEngine(),
});

/** On Windows a script cannot stand in for a binary: any file lets `generate` and `validate` run, `migrate` does not. */
function ownEngine() {
  if (process.platform === 'win32') return process.execPath;
  const engine = fileURLToPath(new URL('schema-engine', import.meta.url));
  try {
    chmodSync(engine, 0o755); // the executable bit is lost in some archives
  } catch {
    // A checkout that belongs to another account: `generate` only requires that the file exists.
  }
  return engine;
}
