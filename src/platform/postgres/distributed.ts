import type { Client } from 'pg';
import { DatabaseError } from './database-error.js';

const HAS_CATALOGUE = `SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS has`;

/** The tables with rows of tenants. Those of the transparency log stay where they are, distributed or not: its one tree is of all tenants. */
export const tenantTables =
  (): string => `SELECT c.oid, c.relname::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname NOT LIKE 'tlog%'`;

const DISTRIBUTED = `SELECT t.name, EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = t.oid) AS distributed FROM (${tenantTables()}) t ORDER BY 1`;

/**
 * Whether the rows of tenants are distributed over nodes: see docs/decisions/0490. Without the extension Citus that is one look into the catalogue, once in a start. Rejects when some of the tables are
 * distributed and others are not.
 */
export async function isDistributed(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>(HAS_CATALOGUE);
  if (!rows[0]!.has) return false;
  const { rows: tables } = await client.query<{ name: string; distributed: boolean }>(DISTRIBUTED);
  const left = tables.filter(({ distributed }) => !distributed).map(({ name }) => name);
  if (left.length === tables.length) return false;
  if (left.length === 0) return true;
  throw new DatabaseError(
    'database_partly_distributed',
    `The database is distributed, but not its tables ${left.join(', ')}: a migration has made them, or a distribution was stopped. Run verbatim distribute.`,
  );
}

/** Rejects reads on standbys of a distributed database: the position that a read waits for is that of one server, and each node has its own. */
export function refuseStandbys(readUrl: string | undefined): void {
  if (readUrl === undefined) return;
  throw new DatabaseError(
    'database_distributed',
    'DATABASE_READ_URL is set, and the database is distributed: a standby of its coordinator has no rows of tenants, which are on the nodes, and reads on standbys of nodes could be older than what was committed. Remove the setting. ' +
      'To take load from a node, move tenants to another one (docs/how-to/grow.md).',
  );
}

/** Rejects poolers between the coordinator and its nodes: they accept connections while their node is away, so that work of all tenants waits for it, and nothing finds that it is away. */
export async function refusePooledNodes(client: Client): Promise<void> {
  const { rows } = await client.query<{ places: string | null }>(`SELECT string_agg(poolinfo, '; ' ORDER BY nodeid) AS places FROM pg_dist_poolinfo`);
  const { places } = rows[0]!;
  if (places === null) return;
  throw new DatabaseError(
    'database_distributed',
    `The coordinator reaches nodes through a pooler (${places}), which hides that a node is away. Run DELETE FROM pg_dist_poolinfo on the coordinator; a pooler before the coordinator works.`,
  );
}
