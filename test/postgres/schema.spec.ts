import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type Table, tablesOf } from '../support/prisma-schema.js';

/** Compiled, this file lies in dist/test/postgres. */
const SCHEMA = new URL('../../../prisma/schema.prisma', import.meta.url);

let database: TestDatabase;
let owner: Client;
let schema: string;

beforeAll(async () => {
  database = await freshDatabase();
  owner = await connect(database.ownerUrl, 60_000);
  schema = await readFile(SCHEMA, 'utf8');
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

/** The tables of the database. Prisma's schema cannot express generated columns' expressions, checks, partial indexes, indexes on expressions and lists that may be null: they are left out. */
async function catalogue(): Promise<Readonly<Record<string, Table>>> {
  const { rows } = await owner.query<{ name: string } & Table>(
    `SELECT relname AS name,
        (SELECT json_object_agg(attname, concat_ws(' ', format_type(atttypid, atttypmod), CASE WHEN attnotnull AND attndims = 0 THEN 'not null' END, CASE WHEN (atthasdef AND attgenerated = '') OR attidentity <> '' THEN 'default' END))
           FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped) AS columns,
        (SELECT coalesce(array_agg(kind || ' (' || columns || ')' ORDER BY kind || ' (' || columns || ')'), '{}') FROM (
           SELECT CASE WHEN indisprimary THEN 'primary key' WHEN indisunique THEN 'unique' ELSE 'index ' || indexrelid::regclass END AS kind,
             (SELECT string_agg(attname, ', ' ORDER BY place) FROM unnest(indkey) WITH ORDINALITY AS key (number, place) JOIN pg_attribute ON attrelid = indrelid AND attnum = number) AS columns
           FROM pg_index WHERE indrelid = pg_class.oid AND indpred IS NULL AND indexprs IS NULL) AS index) AS keys,
        (SELECT coalesce(array_agg(reference ORDER BY reference), '{}') FROM (
           SELECT format('(%s) -> %s (%s)',
             (SELECT string_agg(attname, ', ' ORDER BY place) FROM unnest(conkey) WITH ORDINALITY AS key (number, place) JOIN pg_attribute ON attrelid = conrelid AND attnum = number),
             confrelid::regclass,
             (SELECT string_agg(attname, ', ' ORDER BY place) FROM unnest(confkey) WITH ORDINALITY AS key (number, place) JOIN pg_attribute ON attrelid = confrelid AND attnum = number)) AS reference
           FROM pg_constraint WHERE conrelid = pg_class.oid AND contype = 'f') AS foreign_key) AS "references"
       FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname <> '_prisma_migrations'`,
  );
  const byName = (texts: readonly string[]): readonly string[] => texts.toSorted();
  return Object.fromEntries(rows.map(({ name, columns, keys, references }) => [name, { columns, keys: byName(keys), references: byName(references) }]));
}

describe('prisma/schema.prisma', () => {
  it('describes the tables, columns, types, keys and references of the migrated database', async () => {
    expect(tablesOf(schema)).toEqual(await catalogue());
  });

  it('is found to differ when one of the two has something that the other does not', async () => {
    const before = await catalogue();
    for (const change of [
      'CREATE TABLE added (id bigint PRIMARY KEY)',
      'ALTER TABLE legal_hold ADD COLUMN added text',
      'ALTER TABLE legal_hold DROP COLUMN placed_at',
      'ALTER TABLE legal_hold ALTER COLUMN placed_at DROP NOT NULL',
      'ALTER TABLE legal_hold ALTER COLUMN placed_at DROP DEFAULT',
      'ALTER TABLE legal_hold ALTER COLUMN placed_at TYPE timestamptz',
      'CREATE INDEX added ON legal_hold (placed_at)',
      'ALTER TABLE legal_hold ADD UNIQUE (placed_at)',
      'ALTER TABLE legal_hold ADD FOREIGN KEY (tenant_id) REFERENCES tenant',
    ]) {
      await owner.query('BEGIN');
      await owner.query(change);
      expect([change, await catalogue()]).not.toEqual([change, before]);
      await owner.query('ROLLBACK');
    }
    const without = (line: RegExp): string => schema.replace(line, '');
    for (const line of [/^model LegalHold \{[^]*?^\}/m, /^ {2}placedAt .*/m, /@@unique.*/, /@@index.*/, /, references: \[[^\]]*\]/, /\? /]) {
      expect(without(line)).not.toBe(schema);
      expect(tablesOf(without(line))).not.toEqual(before);
    }
  });
});
