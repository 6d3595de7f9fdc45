import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { DatabaseError, errorCode, errorText } from '../database-error.js';
import type { Account } from './account.js';
import type { Binaries } from './binaries.js';
import { give } from './data-directory.js';

const run = promisify(execFile);

/** Postgres does not inherit the environment of this process, which contains secrets; and PG* variables would change its behavior. */
export const SERVER_ENVIRONMENT = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };

/**
 * Creates the cluster if there is none, atomically: it is prepared in a sibling directory and renamed, so neither a killed process nor a concurrent one
 * leaves an incomplete cluster. Returns whether this call created it.
 */
export async function createCluster(dataDirectory: string, binaries: Binaries, account: Account, volatile: boolean): Promise<boolean> {
  if (existsSync(path.join(dataDirectory, 'PG_VERSION'))) return false;
  const draft = `${dataDirectory}.${randomUUID()}`;
  const password = `${draft}.password`;
  const choices = [
    `--pgdata=${draft}`,
    '--username=postgres',
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
    ...(volatile ? ['--no-sync'] : []),
  ];
  try {
    await mkdir(draft, { mode: 0o700 });
    await give(draft, account);
    await writeFile(password, randomBytes(18).toString('base64url'), { mode: 0o600 });
    await give(password, account);
    await run(binaries.initdb, choices, { ...account, cwd: '/', env: SERVER_ENVIRONMENT });
    await rename(password, passwordFile(draft));
    await rename(draft, dataDirectory);
    return true;
  } catch (error) {
    if (existsSync(path.join(dataDirectory, 'PG_VERSION'))) return false; // created by a concurrent process
    if (errorCode(error) === 'ENOTEMPTY') {
      throw new DatabaseError('embedded_not_started', `${dataDirectory} is not empty and contains no Postgres cluster. Choose another DATA_DIR, or empty it.`, {
        cause: error,
      });
    }
    throw new DatabaseError('embedded_not_started', `Could not create a Postgres cluster in ${dataDirectory}: ${errorText(error)}`, { cause: error });
  } finally {
    await rm(password, { force: true });
    await rm(draft, { recursive: true, force: true });
  }
}

/** The superuser's password, generated with the cluster and stored inside it. */
export async function clusterPassword(dataDirectory: string): Promise<string> {
  try {
    return (await readFile(passwordFile(dataDirectory), 'utf8')).trim();
  } catch (cause) {
    throw new DatabaseError(
      'embedded_data_unreachable',
      `Cannot read the Postgres cluster in ${dataDirectory}: ${errorText(cause)}. Start as the user that owns it.`,
      { cause },
    );
  }
}

const passwordFile = (dataDirectory: string): string => path.join(dataDirectory, 'superuser-password');
