import type { Client as Owner } from 'pg';

/** The port of the node that has the rows of a tenant. */
export async function portOf(owner: Owner, tenant: string): Promise<number> {
  const { rows } = await owner.query<{ port: number }>(
    `SELECT nodeport AS port FROM citus_shards WHERE table_name = 'event'::regclass AND shardid = get_shard_id_for_distribution_column('event', $1::uuid)`,
    [tenant],
  );
  return rows[0]!.port;
}
