import pg, { type Client } from 'pg';
import { DatabaseError } from './database-error.js';
import { tenantTables } from './distributed.js';

/** Those that are not distributed yet; tables that others refer to come before those. */
const UNDISTRIBUTED = `SELECT t.name FROM (${tenantTables()}) t WHERE NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = t.oid)
  ORDER BY coalesce(array_position(ARRAY['tenant', 'app_user', 'blob'], t.name), 9), 1`;

/** Functions of this schema that the nodes do not have: conditions, policies and triggers call them there. */
const UNKNOWN_FUNCTIONS = `SELECT p.oid::regprocedure::text AS name FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f'
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_dist_object o WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid) ORDER BY 1`;

/** Settings of the database, on the coordinator and on every node. */
const SETTINGS: Readonly<Record<string, string>> = {
  'citus.propagate_set_commands': 'local', // the tenant of a transaction reaches the nodes
  'citus.enable_unsafe_triggers': 'on', // ours look at rows of their own tenant only, which are on the same node
  'citus.allow_nested_distributed_execution': 'on', // so the statements of triggers stay on it, too
};

/**
 * Distributes every table of tenants by its tenant, with all others of the same tenant. What is distributed stays as it is, so that it may be repeated: after nodes were added, or a migration has made a table.
 * One after the other, and a command that was stopped is repeated; rows are copied, and writes wait meanwhile. `client`: a superuser's, on the coordinator. Resolves to what was done. Throws a DatabaseError.
 */
export async function distribute(client: Client): Promise<readonly string[]> {
  await requireNodes(client);
  const { rows: names } = await client.query<{ database: string }>('SELECT current_database() AS database');
  const database = pg.escapeIdentifier(names[0]!.database);
  for (const [name, value] of Object.entries(SETTINGS)) {
    await client.query(`ALTER DATABASE ${database} SET ${name} = ${pg.escapeLiteral(value)}`); // which Citus hands to the nodes
    await client.query(`SET ${name} = ${pg.escapeLiteral(value)}`);
  }
  const done: string[] = [];
  for (const { name } of (await client.query<{ name: string }>(UNDISTRIBUTED)).rows) {
    await client.query(`SELECT create_distributed_table($1::text, 'tenant_id', colocate_with => $2)`, [name, name === 'tenant' ? 'none' : 'tenant']);
    done.push(`table ${name}`);
  }
  // A function of SQL has to come after those that it calls, and one that reads tables of the coordinator stays there: as long as a round adds some, another one may.
  for (let before = -1; before < done.length;) {
    before = done.length;
    for (const { name } of (await client.query<{ name: string }>(UNKNOWN_FUNCTIONS)).rows) {
      if (await succeeds(client.query('SELECT create_distributed_function($1::regprocedure)', [name]))) done.push(`function ${name}`);
    }
  }
  return done;
}

async function requireNodes(client: Client): Promise<void> {
  const refuse = (reason: string): never => {
    throw new DatabaseError('database_undistributable', `The database cannot be distributed: ${reason}`);
  };
  const { rows } = await client.query<{ citus: boolean; superuser: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS citus, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser`,
  );
  if (!rows[0]!.citus) refuse('it has no extension Citus. Install it on all servers, and run CREATE EXTENSION citus in this database and that of each node.');
  if (!rows[0]!.superuser) refuse('the owner in DATABASE_URL is no superuser, which creates triggers on the nodes. Use one for this command.');
  if ((await client.query(tenantTables())).rows.length === 0) refuse('it has no schema yet. Run verbatim migrate before the extension is created.');
  const { rows: nodes } = await client.query('SELECT FROM pg_dist_node WHERE groupid <> 0 AND isactive AND shouldhaveshards');
  if (nodes.length === 0) refuse('it has no nodes. Add each with SELECT citus_add_node(HOST, PORT).');
}

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    (error: unknown) => {
      if (error instanceof pg.DatabaseError) return false;
      throw error;
    },
  );
