import pg from 'pg';
import { TENANT_TABLES } from './tables.js';

/** Rows that are read or written at a time. */
const PAGE = 100;

export interface Column {
  readonly name: string;
  /** As SQL writes it. */
  readonly type: string;
}

export type Values = readonly (string | null)[];

/** Texts of values are then the same on every server. */
export const TEXT_SETTINGS = `SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'postgres'; SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex';`;

/** The columns of a table that a move copies: all but those that the database gives, by which rows of all tenants are in one order. */
export async function columnsOf(owner: pg.ClientBase, table: string): Promise<readonly Column[]> {
  const { rows } = await owner.query<Column>(
    `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type FROM pg_attribute a
     WHERE a.attrelid = ('public.' || quote_ident($1))::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attidentity = '' AND a.attgenerated = '' AND a.atttypid <> 'xid8'::regtype
     ORDER BY a.attname`,
    [table],
  );
  return rows;
}

/** The newest migration that was applied: what tables and columns there are. */
export async function schemaOf(owner: pg.ClientBase): Promise<string> {
  const { rows } = await owner.query<{ name: string }>('SELECT max(migration_name) AS name FROM "_prisma_migrations" WHERE rolled_back_at IS NULL');
  return rows[0]!.name;
}

/** The rows of a tenant, in the order of the primary key, a page at a time. */
export async function* rowsOf(owner: pg.ClientBase, table: string, columns: readonly Column[], tenantId: string): AsyncGenerator<Values> {
  const { as = {}, order, page = PAGE } = TENANT_TABLES[table]!;
  const values = columns.map(({ name }) => `(${as[name] ?? `t.${pg.escapeIdentifier(name)}`})::text`);
  // With the name of the table: without it, the order would be that of the texts, by which 10 comes before 2.
  const key = order ?? (await keyOf(owner, table)).map((name) => `t.${pg.escapeIdentifier(name)}`).join(', ');
  await owner.query(
    `DECLARE rows_of NO SCROLL CURSOR FOR SELECT ${values.join(', ')} FROM ${pg.escapeIdentifier(table)} t WHERE t.tenant_id = ${pg.escapeLiteral(tenantId)} ORDER BY ${key}`,
  );
  for (;;) {
    const { rows } = await owner.query<(string | null)[]>({ text: `FETCH ${page} FROM rows_of`, rowMode: 'array' });
    yield* rows;
    if (rows.length < page) break;
  }
  await owner.query('CLOSE rows_of');
}

async function keyOf(owner: pg.ClientBase, table: string): Promise<readonly string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT a.attname AS name FROM pg_index i CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS k(attnum, place) JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
     WHERE i.indrelid = ('public.' || quote_ident($1))::regclass AND i.indisprimary ORDER BY k.place`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/**
 * Inserts rows of one table, some at a time: as values, which a distributed database commits in one phase. It would copy the rows of a query in two, and after the first of them other transactions take
 * the events for visible that are not yet.
 */
export class TableWriter {
  #rows: Values[] = [];
  #characters = 0;
  readonly #insert: string;

  constructor(
    private readonly owner: pg.ClientBase,
    table: string,
    private readonly columns: readonly Column[],
  ) {
    this.#insert = `INSERT INTO ${pg.escapeIdentifier(table)} (${columns.map(({ name }) => pg.escapeIdentifier(name)).join(', ')}) VALUES `;
  }

  async add(row: Values): Promise<void> {
    this.#rows.push(row);
    this.#characters += row.reduce((sum, value) => sum + (value?.length ?? 0), 0);
    if (this.#rows.length >= PAGE || this.#characters > MAX_CHARACTERS) await this.flush();
  }

  async flush(): Promise<void> {
    const rows = this.#rows;
    if (rows.length === 0) return;
    [this.#rows, this.#characters] = [[], 0];
    const row = (at: number): string => `(${this.columns.map(({ type }, index) => `$${at * this.columns.length + index + 1}::${type}`).join(', ')})`;
    await this.owner.query(this.#insert + rows.map((_, at) => row(at)).join(', '), rows.flat());
  }
}

const MAX_CHARACTERS = 4 * 1024 * 1024;
