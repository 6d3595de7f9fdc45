import pg, { type Client } from 'pg';

/** The application never stores large objects, and these functions write them; to revoke them from PUBLIC takes a superuser. */
const LARGE_OBJECT_FUNCTIONS = [
  'lo_creat(integer)',
  'lo_create(oid)',
  'lo_from_bytea(oid, bytea)',
  'lo_put(oid, bigint, bytea)',
  'lo_unlink(oid)',
  'lo_open(oid, integer)',
];

/** Settings that earlier builds have written and this one does not use. */
const WITHDRAWN = ['enable_sort'];

/**
 * What decides how values are read, written and compared. A database or a server may have other defaults, and so may the role in all databases: the settings of the role in this database count more.
 */
const MEANING: Readonly<Record<string, string>> = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  array_nulls: 'on',
  row_security: 'on',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
};

/**
 * Defaults of every session that `client`'s own role opens in this database. They are settings of the role, because connection poolers such as PgBouncer
 * reject them as startup parameters and share one server connection between clients, which rules out SET. Unchanged settings are not written again.
 */
export async function applyAppRoleSettings(client: Client, timeoutMs: number): Promise<void> {
  const wanted: Readonly<Record<string, string>> = {
    ...MEANING,
    statement_timeout: String(timeoutMs),
    lock_timeout: String(Math.ceil(timeoutMs / 2)), // lower, so that a wait for a lock is not reported as a slow statement
    idle_in_transaction_session_timeout: String(timeoutMs),
    // Compiling a plan takes up to 200 ms, far longer than a statement of this application runs; Postgres before 18 decides on it by default.
    jit: 'off',
    // As from memory and solid state storage. With the default of 4, the planner collects and sorts the events of a session, of a long one on disk, instead of reading them in
    // the order of their key.
    random_page_cost: '1',
  };
  await client.query('SELECT pg_advisory_lock(hashtext($1))', ['verbatim role settings']); // concurrent ALTER ROLE fails with "tuple concurrently updated"
  try {
    const { rows } = await client.query<{ setting: string }>(
      `SELECT unnest(s.setconfig) AS setting FROM pg_db_role_setting s
       JOIN pg_roles r ON r.oid = s.setrole AND r.rolname = current_user JOIN pg_database d ON d.oid = s.setdatabase AND d.datname = current_database()`,
    );
    const present = new Set(rows.map(({ setting }) => setting));
    const { rows: names } = await client.query<{ role: string; database: string }>('SELECT current_user AS role, current_database() AS database');
    const { role, database } = names[0]!;
    const alter = `ALTER ROLE ${pg.escapeIdentifier(role)} IN DATABASE ${pg.escapeIdentifier(database)}`;
    const missing = Object.entries(wanted).filter(([name, value]) => !present.has(`${name}=${value}`));
    if (missing.length > 0) await client.query(missing.map(([name, value]) => `${alter} SET ${name} = ${pg.escapeLiteral(value)}`).join('; '));
    for (const name of WITHDRAWN) {
      if ([...present].some((setting) => setting.startsWith(`${name}=`))) await client.query(`${alter} RESET ${name}`);
    }
  } finally {
    await client.query('SELECT pg_advisory_unlock(hashtext($1))', ['verbatim role settings']);
  }
}

/**
 * Revokes what PUBLIC may do in a new database and the application does not need: temporary tables and large objects. Runs as the owner, as far as its
 * rights reach: an owner that is not a superuser keeps the functions for large objects as they are.
 */
export async function revokePublicRights(client: Client): Promise<void> {
  await client.query(`DO $$
    DECLARE
      large_object_function text;
    BEGIN
      IF EXISTS (SELECT FROM pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
                 WHERE d.datname = current_database() AND a.grantee = 0 AND a.privilege_type = 'TEMPORARY') THEN
        EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
      END IF;
      IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        FOREACH large_object_function IN ARRAY ARRAY[${LARGE_OBJECT_FUNCTIONS.map((name) => pg.escapeLiteral(name)).join(', ')}] LOOP
          IF has_function_privilege('public', large_object_function, 'EXECUTE') THEN
            EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', large_object_function);
          END IF;
        END LOOP;
      END IF;
    END $$`);
}
