import type { Client as Connection } from 'pg';
import { readMigrations } from '../../src/platform/postgres/migrations/migration-files.js';
import { applyMigrations } from '../../src/platform/postgres/migrations/migrate.js';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { migrationFolder } from '../support/migration-folder.js';
import { MIGRATIONS } from '../support/template.js';
import type { Filled } from './fill.js';

/** What is about the server that the rows were made on: places in its feed, and its transparency log. */
const LEFT_OUT = {
  tables: ['_prisma_migrations', 'task_lease', 'tlog_run', 'tlog_tile', 'tlog_checkpoint', 'tlog_anchor', 'tlog_key'],
  columns: ['xact_id', 'position', 'outbox_id'],
};

/** The rows of a database as statements, one a row, after what is known of them. The schema is that of the migrations, which are frozen. */
export async function rowsOf(owner: Connection, known: Filled): Promise<string> {
  const { rows: tables } = await owner.query<{ name: string; columns: string; values: string; inOrder: boolean }>(
    `SELECT c.relname AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns,
       string_agg('quote_nullable(' || quote_ident(a.attname) || '::text)', ', ' ORDER BY a.attnum) AS values, bool_or(a.attname = 'seq') AS "inOrder"
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> ALL ($1) AND a.attname <> ALL ($2) GROUP BY c.relname ORDER BY c.relname`,
    [LEFT_OUT.tables, LEFT_OUT.columns],
  );
  const lines = [`-- ${JSON.stringify(known)}`];
  for (const { name, columns, values, inOrder } of tables) {
    const { rows } = await owner.query<{ line: string }>(
      `SELECT concat_ws(', ', ${values}) AS line FROM ${name} ${inOrder ? 'ORDER BY position' : 'ORDER BY 1'}`,
    );
    lines.push(...rows.map(({ line }) => `INSERT INTO ${name} (${columns}) VALUES (${line});`));
  }
  return `${lines.join('\n')}\n`;
}

/** Makes the schema that a database had when `newest` was the newest migration, with these rows in it. Its functions are those of the start that follows: today's may need later tables. */
export async function restore(ownerUrl: string, newest: string, rows: string): Promise<Filled> {
  const folder = await migrationFolder(MIGRATIONS);
  try {
    for (const { name } of await readMigrations(folder.directory)) if (name > newest) await folder.remove(name);
    await applyMigrations(ownerUrl, folder.directory);
    await withConnection(ownerUrl, 60_000, async (owner) => {
      await owner.query('SET session_replication_role = replica'); // in any order
      await owner.query(rows);
    });
  } finally {
    await folder.drop();
  }
  return JSON.parse(rows.slice('-- '.length, rows.indexOf('\n'))) as Filled;
}
