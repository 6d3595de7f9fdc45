import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { ERASURE_PARTS } from '../../src/ports/index.js';
import { connect } from '../../src/platform/postgres/connect.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

/** Compiled, this file lies in dist/test/postgres. */
const DIRECTORY = fileURLToPath(new URL('../../../prisma/functions', import.meta.url));

/** Signature → definition, with the source of the body as it was written, comments included. */
type Functions = Readonly<Record<string, string>>;

let database: TestDatabase;
let owner: Client;

beforeAll(async () => {
  database = await freshDatabase();
  owner = await connect(database.ownerUrl, 60_000);
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

async function functions(): Promise<Functions> {
  const { rows } = await owner.query<{ signature: string; definition: string }>(
    `SELECT oid::regprocedure::text AS signature, pg_get_functiondef(oid) AS definition FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
  );
  return Object.fromEntries(rows.map(({ signature, definition }) => [signature, definition]));
}

it('every function of the migrated database has the text of its file in prisma/functions, and every file has a function', async () => {
  const migrated = await functions();
  await owner.query('BEGIN');
  await owner.query('SET LOCAL check_function_bodies = off'); // in files' order, a function may come before the one that it calls
  await owner.query(`DROP FUNCTION ${Object.keys(migrated).join(', ')} CASCADE`);
  for (const file of (await readdir(DIRECTORY)).filter((name) => name.endsWith('.sql'))) {
    const before = Object.keys(await functions());
    await owner.query(await readFile(path.join(DIRECTORY, file), 'utf8'));
    const added = Object.keys(await functions()).filter((signature) => !before.includes(signature));
    expect({ file, functions: added.map((signature) => signature.replace(/\(.*/, '')) }).toEqual({ file, functions: [path.basename(file, '.sql')] });
  }
  const written = await functions();
  await owner.query('ROLLBACK');
  expect(written).toEqual(migrated);
});

it('every session belongs to one of the parts of the erasures that workers go through', async () => {
  const { rows } = await owner.query<{ part: number }>('SELECT DISTINCT erasure_part(gen_random_uuid()) AS part FROM generate_series(1, 5000) ORDER BY part');
  expect(rows.map(({ part }) => part)).toEqual(Array.from({ length: ERASURE_PARTS }, (_, part) => part));
});
