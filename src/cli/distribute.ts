import type { Client } from 'pg';
import { tenantIdOf } from '../features/people/identities.js';
import { readSettings } from '../platform/config/env.js';
import { withConnection } from '../platform/postgres/connect.js';
import { distribute } from '../platform/postgres/distribute.js';
import { isDistributed } from '../platform/postgres/distributed.js';
import { NODE_WAIT_MS } from '../platform/postgres/nodes/postgres-nodes.js';
import { UsageError } from './usage-error.js';

const NODES = `SELECT node, is_up AS "isUp", shards::int, tenants::int, bytes::float8 FROM read_nodes($1::int)`;

/** The node that has the rows of a tenant, or would have them, and whether they are there. */
const PLACE = `SELECT n.nodename || ':' || n.nodeport AS node FROM pg_dist_placement p JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
  WHERE p.shardid = get_shard_id_for_distribution_column('tenant', $1::uuid)`;
const IS_THERE = 'SELECT FROM tenant WHERE tenant_id = $1';

interface Node {
  readonly node: string;
  readonly isUp: boolean;
  readonly shards: number;
  readonly tenants: number | null;
  readonly bytes: number | null;
}

/** `verbatim distribute`: repeated, it does what is left; `verbatim distribute status` says what each node is and has. */
export async function run([command, tenant, ...rest]: readonly string[]): Promise<number> {
  if ((command !== undefined && command !== 'status') || rest.length > 0) throw new UsageError('What to do is not said.');
  const settings = readSettings(process.env);
  if (settings.DATABASE_URL === undefined) {
    process.stderr.write('The embedded database is on one server. Set DATABASE_URL to the coordinator.\n');
    return 2;
  }
  return withConnection(settings.DATABASE_URL, settings.DATABASE_TIMEOUT_MS, async (client) => {
    if (command === 'status') return status(client, tenant);
    const done = await distribute(client);
    for (const name of done) say(`The nodes have the ${name}.`);
    say(done.length === 0 ? 'The database is distributed; nothing was left to do.' : 'The database is distributed. Start the servers.');
    return 0;
  });
}

/** Ends with 1 while a node is away, or when there is no such tenant. */
async function status(client: Client, tenant: string | undefined): Promise<number> {
  if (!(await isDistributed(client))) {
    say('The database is not distributed.');
    return 0;
  }
  const { rows: nodes } = await client.query<Node>(NODES, [NODE_WAIT_MS]);
  if (tenant !== undefined) return whereIs(client, tenant, nodes);
  for (const { node, isUp, shards, tenants, bytes } of nodes)
    say(isUp ? `${node}  up    ${shards} shards, ${tenants} tenants, ${(bytes! / 2 ** 20).toFixed(0)} MiB` : `${node}  away  ${shards} shards`);
  return nodes.every(({ isUp }) => isUp) ? 0 : 1;
}

async function whereIs(client: Client, tenant: string, nodes: readonly Node[]): Promise<number> {
  const id = tenantIdOf(tenant);
  const place = (await client.query<{ node: string }>(PLACE, [id])).rows[0]!.node;
  if (nodes.every(({ node, isUp }) => node !== place || !isUp)) {
    say(`${place}  away. If there is this tenant, it is there: ${id}`);
    return 1;
  }
  const isThere = (await client.query(IS_THERE, [id])).rows.length > 0;
  say(isThere ? `${place}  up. The tenant is ${id}.` : `There is no such tenant (${id}).`);
  return isThere ? 0 : 1;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
