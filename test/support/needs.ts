import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { globSync } from 'tinyglobby';
import { HAS_CITUS, POSTGRES_PROGRAMS } from './postgres-programs.js';
import { CHROMIUM_FILE, find } from './programs.js';

export { CHROMIUM_FILE };

/** What some tests need of the machine, and how to get it. */
export interface Need {
  readonly isMet: boolean;
  readonly remedy: string;
  /** REQUIRE_ALL does not require it. */
  readonly isChoice?: true;
}

const isRoot = process.getuid?.() === 0;

/** A program, in the package of the same name unless it is said otherwise. */
export const program = (name: string, remedy = `install ${name}`): Need => ({ isMet: find(name) !== undefined, remedy });

/** Shifts the clock of a single process. */
export const FAKETIME_FILE = globSync('/usr/lib/{*/,}faketime/libfaketimeMT.so.1')[0];

export const ROOT: Need = { isMet: isRoot, remedy: 'run as root' };
export const LINUX: Need = { isMet: process.platform === 'linux', remedy: 'run on Linux' };
export const BUBBLEWRAP = program('bwrap', 'install bubblewrap');
/** For commands of the tool Bash. */
export const SHELL: Need = { isMet: isRoot || BUBBLEWRAP.isMet, remedy: 'install bubblewrap, or run as root' };
export const GIT = program('git');
/** Runs a program at a terminal. */
export const TERMINAL = program('script', 'install script (Debian: bsdutils)');
export const PGBOUNCER = program('pgbouncer');
/** With its client programs. */
export const POSTGRES: Need = { isMet: POSTGRES_PROGRAMS !== undefined, remedy: 'install Postgres (Debian: postgresql)' };
export const OPENSSL = program('openssl');
export const CURL = program('curl');
export const BASH = program('bash');
export const PROMTOOL = program('promtool', 'install promtool (Debian: prometheus)');
export const REDIS_SERVER = program('redis-server');
export const REDIS: Need = { isMet: Boolean(process.env['TEST_REDIS_URL']), remedy: 'set TEST_REDIS_URL to a Redis' };
export const CHROMIUM: Need = { isMet: CHROMIUM_FILE !== undefined, remedy: 'install Chromium, or set CHROMIUM to its path' };
export const FAKETIME: Need = { isMet: FAKETIME_FILE !== undefined, remedy: 'install faketime' };

/** For rounds that repeat what others cover in another deployment, where random faults are injected, too. */
export const LONG_TESTS: Need = { isMet: process.env['LONG_TESTS'] === '1', remedy: 'set LONG_TESTS=1', isChoice: true };

export const CITUS: Need = {
  isMet: isRoot && HAS_CITUS,
  remedy: 'install the extension Citus for the installed Postgres, and run as root',
  isChoice: true,
};

/** `it` on a machine that meets the needs; otherwise the tests are skipped as `canTest` says. */
export const itWith = (...needs: readonly Need[]): typeof it | typeof it.skip => (canTest('tests', ...needs) ? it : it.skip);

/** `describe` on a machine that meets the needs; otherwise the tests are skipped as `canTest` says. */
export const describeWith = (...needs: readonly Need[]): typeof describe | typeof describe.skip => (canTest('tests', ...needs) ? describe : describe.skip);

/** A suite on the Redis that TEST_REDIS_URL names. Its data is left alone, but connections are killed. */
export const describeWithRedis = (name: string, suite: (url: string) => void, ...needs: readonly Need[]): void =>
  // oxlint-disable-next-line jest/valid-title
  describeWith(REDIS, ...needs)(name, () => suite(process.env['TEST_REDIS_URL'] ?? ''));

/** Whether the needs are met. If not, standard error says what to do; with REQUIRE_ALL=1, as in CI, it is an error. */
export function canTest(what: string, ...needs: readonly Need[]): boolean {
  const unmet = needs.filter(({ isMet }) => !isMet);
  if (unmet.length === 0) return true;
  const remedies = unmet.map(({ remedy }) => remedy);
  const skipped = `${what} of ${path.relative('', expect.getState().testPath ?? '')}: ${remedies.join('; ')}`;
  if (process.env['REQUIRE_ALL'] === '1' && unmet.some(({ isChoice }) => !isChoice)) throw new Error(`REQUIRE_ALL=1 forbids to skip ${skipped}`);
  process.stderr.write(`SKIPPED: ${skipped}\n`);
  return false;
}
