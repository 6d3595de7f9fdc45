import type { Client } from 'pg';

/** One change of a row that the owner of the database makes, and how it is undone. */
export interface Tampering {
  readonly table: string;
  /** Of a column, its name; or `a row removed`, `a row added`. */
  readonly what: string;
  readonly how: string;
  readonly make: () => Promise<(() => Promise<void>) | null>;
}

/** A row of a table: a condition that begins with what only it fulfils. */
export interface Place {
  readonly table: string;
  readonly condition: string;
  /** Of the last event of a log. */
  readonly isEnd?: boolean;
}

interface Column {
  readonly name: string;
  readonly type: string;
}

export const FORGED = 'FORGED';

/** Another value of each type of column; `$` stands for the column. A column of another type has none, and fails the walk. */
const CHANGED: Readonly<Record<string, string>> = {
  uuid: 'gen_random_uuid()',
  text: `'${FORGED}' || coalesce($, '')`,
  json: `CASE WHEN $::text LIKE '%the word%' THEN replace($::text, 'the word', '${FORGED}') ELSE '{"${FORGED}":' || coalesce($::text, 'null') || '}' END::json`,
  jsonb: `'{"inputTokens":1,"${FORGED}":1}'::jsonb`,
  bytea: `coalesce(substring(sha256($) || sha256($) FOR octet_length($)), sha256(''))`,
  bigint: '$ + 1000',
  integer: 'coalesce($, 0) + 1',
  boolean: 'NOT $',
  date: '$ + 1',
  xid8: '($::text::bigint + 1000000)::text::xid8',
  tsvector: `$ || 'forged'::tsvector`,
  'text[]': `coalesce($, '{}') || '${FORGED}'::text`,
  'timestamp(3) with time zone': `coalesce($, now()) + interval '1 millisecond'`,
};

export async function tables(owner: Client): Promise<readonly string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname NOT LIKE '\\_prisma%' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** Takes away what keeps the owner from a change: triggers, constraints, the numbering of columns. */
export async function unguard(owner: Client): Promise<void> {
  const { rows } = await owner.query<{ sql: string }>(
    `SELECT 1 AS step, format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) AS sql FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid WHERE NOT tgisinternal AND c.relnamespace = 'public'::regnamespace
     UNION ALL SELECT 2, format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', conrelid::regclass, conname) FROM pg_constraint
       WHERE contype IN ('c', 'f', 'p', 'u') AND conrelid <> 0 AND connamespace = 'public'::regnamespace
     UNION ALL SELECT 3, format('ALTER TABLE %I ALTER COLUMN %I DROP IDENTITY', table_name, column_name) FROM information_schema.columns WHERE table_schema = 'public' AND is_identity = 'YES'
     UNION ALL SELECT 4, format('ALTER TABLE %I ALTER COLUMN %I DROP NOT NULL', c.table_name, column_name) FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
       WHERE table_schema = 'public' AND is_nullable = 'NO' AND table_type = 'BASE TABLE'
     ORDER BY 1`,
  );
  const dropped = /^ALTER TABLE \S+ DROP CONSTRAINT/;
  for (const { sql } of rows) await owner.query(dropped.test(sql) ? sql.replace('DROP CONSTRAINT', 'DROP CONSTRAINT IF EXISTS') : sql);
}

async function columns(owner: Client, table: string): Promise<readonly Column[]> {
  const { rows } = await owner.query<Column>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
  return rows;
}

/** Every column of the row changed, and emptied; the row removed. `elsewhere`: a session that gets a copy of it. */
export async function tamperings(owner: Client, { table, condition }: Place, elsewhere: string): Promise<readonly Tampering[]> {
  const all = await columns(owner, table);
  const names = all.map(({ name }) => `"${name}"`).join(', ');
  const place = async (): Promise<string | null> =>
    (await owner.query<{ at: string }>(`SELECT ctid::text AS at FROM ${table} WHERE ${condition} LIMIT 1`)).rows[0]?.at ?? null;
  const set = ({ name, type }: Column, how: string, to: string): Tampering => ({
    table,
    what: name,
    how,
    make: async () => {
      const at = await place();
      if (at === null) return null;
      const { rows: before } = await owner.query<{ value: string | null }>(`SELECT "${name}"::text AS value FROM ${table} WHERE ctid = $1::tid`, [at]);
      const { rows } = await owner.query<{ at: string; value: string | null }>(
        `UPDATE ${table} SET "${name}" = ${to} WHERE ctid = $1::tid RETURNING ctid::text AS at, "${name}"::text AS value`,
        [at],
      );
      const undo = async (): Promise<void> => {
        await owner.query(`UPDATE ${table} SET "${name}" = $2::text::${type} WHERE ctid = $1::tid`, [rows[0]!.at, before[0]!.value]);
      };
      if (rows[0]!.value !== before[0]!.value) return undo;
      await undo();
      return null; // it was so before
    },
  });
  const cells = all.flatMap((column) => {
    const to = CHANGED[column.type];
    if (to === undefined) throw new Error(`${table}.${column.name} is of the type ${column.type}, of which no other value is known`);
    return [set(column, 'changed', to.replaceAll('$', `"${column.name}"`)), set(column, 'emptied', 'NULL')];
  });
  const removed: Tampering = {
    table,
    what: 'a row removed',
    how: '',
    make: async () => {
      const at = await place();
      if (at === null) return null;
      await owner.query(`CREATE TABLE taken AS SELECT * FROM ${table} WHERE ctid = '${at}'`);
      await owner.query(`DELETE FROM ${table} WHERE ctid = '${at}'`);
      return async () => void (await owner.query(`INSERT INTO ${table} (${names}) SELECT ${names} FROM taken; DROP TABLE taken`));
    },
  };
  const added: Tampering = {
    table,
    what: 'a row added',
    how: '',
    make: async () => {
      const at = await place();
      if (at === null || !all.some(({ name }) => name === 'session_id')) return null;
      const values = names.replace('"session_id"', `'${elsewhere}'::uuid`);
      const { rows } = await owner.query<{ at: string }>(
        `INSERT INTO ${table} (${names}) SELECT ${values} FROM ${table} WHERE ctid = '${at}' RETURNING ctid::text AS at`,
      );
      return async () => void (await owner.query(`DELETE FROM ${table} WHERE ctid = $1::tid`, [rows[0]!.at]));
    },
  };
  return [...cells, removed, added];
}
