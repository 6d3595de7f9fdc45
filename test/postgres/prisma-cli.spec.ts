import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { blankDatabase, freshDatabase, type TestDatabase } from '../support/database.js';

/** Compiled, this file lies in dist/test/postgres. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A checkout without a .env file; `migrate dev` writes into it. */
let checkout: string;
let databases: TestDatabase[];

interface Result {
  readonly code: number;
  readonly output: string;
}

/** Runs `npm run prisma -- …` without npm. */
function prisma(database: TestDatabase | null, ...args: readonly string[]): Promise<Result> {
  const { DATABASE_URL: _, ...inherited } = process.env;
  const env = { ...inherited, NO_COLOR: '1', ...(database && { DATABASE_URL: database.ownerUrl }) };
  return new Promise((resolve) => {
    execFile(process.execPath, [path.join(checkout, 'scripts/prisma.mjs'), ...args], { cwd: checkout, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

const migrations = (): Promise<readonly string[]> => readdir(path.join(checkout, 'prisma/migrations'));

async function dropLater(created: Promise<TestDatabase>): Promise<TestDatabase> {
  const database = await created;
  databases.push(database);
  return database;
}

beforeAll(async () => {
  checkout = await mkdtemp(path.join(tmpdir(), 'verbatim-checkout-'));
  await symlink(path.join(ROOT, 'node_modules'), path.join(checkout, 'node_modules'));
});
beforeEach(async () => {
  databases = [];
  await rm(path.join(checkout, 'prisma'), { recursive: true, force: true });
  for (const item of ['package.json', 'prisma.config.ts', 'prisma', 'scripts']) await cp(path.join(ROOT, item), path.join(checkout, item), { recursive: true });
});
afterEach(() => Promise.all(databases.map((database) => database.drop())));
afterAll(() => rm(checkout, { recursive: true }));

it('migrate dev creates no migration: the schema matches the migrations, generated columns included', async () => {
  const before = await migrations();
  const blank = await dropLater(blankDatabase());
  expect(await prisma(blank, 'migrate', 'dev', '--name', 'x')).toMatchObject({ code: 0, output: expect.stringContaining('_initial') });
  expect(await prisma(blank, 'migrate', 'dev', '--name', 'x')).toMatchObject({ code: 0, output: expect.stringContaining('Already in sync') });
  expect(await migrations()).toEqual(before);
});

it('migrate dev finds a database that the server migrated in sync', async () => {
  const before = await migrations();
  const database = await dropLater(freshDatabase());
  expect(await prisma(database, 'migrate', 'dev', '--name', 'x')).toMatchObject({ code: 0, output: expect.stringContaining('Already in sync') });
  expect(await migrations()).toEqual(before);
});

it('migrate dev runs online migrations, whose statements are no transaction', async () => {
  await mkdir(path.join(checkout, 'prisma/migrations/29990101000000_online'));
  const statements = ['-- online', 'CREATE INDEX CONCURRENTLY usage_x ON usage (day) WHERE false;', 'DROP INDEX CONCURRENTLY usage_x;'];
  await writeFile(path.join(checkout, 'prisma/migrations/29990101000000_online/migration.sql'), statements.join('\n\n'));
  const blank = await dropLater(blankDatabase());
  expect(await prisma(blank, 'migrate', 'dev', '--name', 'x')).toMatchObject({ code: 0, output: expect.stringContaining('_online') });
});

it('a migration that fails shows the message of Postgres', async () => {
  await mkdir(path.join(checkout, 'prisma/migrations/29990101000000_broken'));
  await writeFile(path.join(checkout, 'prisma/migrations/29990101000000_broken/migration.sql'), 'SELECT 1; SELECT 1 / 0;');
  const { code, output } = await prisma(await dropLater(blankDatabase()), 'migrate', 'dev', '--name', 'x');
  expect(code).toBe(1);
  expect(output).toContain('division by zero');
});

it.each([[['migrate', 'dev', '--name', 'x']], [['migrate', 'status']], [['db', 'pull']]])('%j without DATABASE_URL says what to set', async (args) => {
  const { code, output } = await prisma(null, ...args);
  expect(code).toBe(1);
  expect(output).toMatch(/^DATABASE_URL is not set.*\n.*environment or in \.env.*\n\s+DATABASE_URL=postgresql:\/\//);
});

it('DATABASE_URL is also read from .env', async () => {
  const database = await dropLater(freshDatabase());
  await writeFile(path.join(checkout, '.env'), `DATABASE_URL=${database.ownerUrl}\n`);
  try {
    expect(await prisma(null, 'migrate', 'status')).toMatchObject({ code: 0, output: expect.stringContaining('up to date') });
  } finally {
    await rm(path.join(checkout, '.env'));
  }
});

it('validate needs no database', async () => {
  expect(await prisma(null, 'validate')).toMatchObject({ code: 0, output: expect.stringContaining('is valid') });
});
