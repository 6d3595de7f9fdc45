import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { connect, withConnection } from '../../src/platform/postgres/connect.js';
import { DistributedPostgres } from '../../test/support/distributed-postgres.js';
import { eventually } from './eventually.js';
import type { Fault, Rig } from './rig.js';

const WAIT_MS = 120_000;
/** So long a node is away. */
const AWAY_MS = 3_000;

/** The steps of a move, as `get_rebalance_progress` names them. The last ones take milliseconds; a move is made again until they are met. */
const STEPS = ['Setting Up', 'Copying Data', 'Catching Up', 'Creating Constraints', 'Final Catchup', 'Completing'] as const;
type Step = (typeof STEPS)[number];

/** What is killed in the middle of a move. */
const KILLED = ['the session of the move', 'the coordinator', 'the node that it leaves', 'the node that it goes to'] as const;
type Killed = (typeof KILLED)[number];

/** Most moves that are made to meet a step. */
const TRIES = 20;

export const citus: Rig = {
  name: 'citus',
  about: 'a distributed database, whose nodes are killed, also at every step of the move of a tenant, and which separates a tenant',
  programs: [],
  isDistributed: true,
  async start() {
    const postgres = await DistributedPostgres.start();
    const tenants = new Tenants(postgres);
    const settings = { DATABASE_URL: postgres.url(postgres.coordinator), DATABASE_TIMEOUT_MS: '20000' };
    const killing = (step: Step, killed: Killed, isShort: boolean): Fault => ({
      name: `${killed} is killed: ${step}`,
      isShort,
      inject: () => tenants.moveKilled(step, killed),
      repair: () => tenants.finishMove(),
    });
    return {
      servers: [settings, settings],
      databaseUrl: settings.DATABASE_URL,
      faults: [
        { name: 'the tenant is separated, and moves', isShort: true, inject: () => tenants.separate().then(() => tenants.move()) },
        ...STEPS.flatMap((step, at) => KILLED.map((killed, index) => killing(step, killed, at < KILLED.length && index === at))),
        { name: 'the node of the tenant is killed, and comes back', isShort: true, inject: () => tenants.nodeKilled() },
        { name: 'the coordinator is killed, and comes back', isShort: false, inject: () => tenants.coordinatorKilled() },
      ],
      stop: () => postgres.stop(),
    };
  },
};

interface Place {
  readonly tenant: string;
  readonly shard: string;
  readonly port: number;
}

/** Moves the shard of the tenant of the rig to and fro. */
class Tenants {
  constructor(private readonly postgres: DistributedPostgres) {}

  /** To the other node. */
  async move(): Promise<void> {
    const { shard, port } = await this.#place();
    await this.#withCoordinator((owner) => owner.query(MOVE, [shard, port, this.#other(port)]));
  }

  /** Into a shard of its own. Writes wait meanwhile: beside updates, a split by logical replication never catches up on the same node (its slot is older than the keys of the new shards). */
  async separate(): Promise<void> {
    const { tenant, shard } = await this.#place();
    await this.#withCoordinator((owner) =>
      owner.query(`SELECT isolate_tenant_to_new_shard('event', $1::uuid, 'CASCADE', shard_transfer_mode := 'block_writes')`, [tenant]),
    );
    if ((await this.#place()).shard === shard) throw new Error('the tenant has no shard of its own');
  }

  /** Begins moves until one is killed at the step. */
  async moveKilled(step: Step, killed: Killed): Promise<void> {
    for (let attempt = 0; attempt < TRIES; attempt += 1) if (await this.#killOnce(step, killed)) return;
    throw new Error(`${TRIES} moves have not met the step ${step}`);
  }

  /** What a move that was killed has left is removed, and the next one arrives. */
  async finishMove(): Promise<void> {
    await eventually('a move arrives', async () => {
      try {
        await this.#withCoordinator((owner) => owner.query('CALL citus_cleanup_orphaned_resources()'));
        await this.move();
        return true;
      } catch {
        return false;
      }
    });
  }

  async nodeKilled(): Promise<void> {
    const node = this.postgres.nodeAt((await this.#place()).port);
    await node.stop();
    await pause(AWAY_MS);
    await node.startAgain();
  }

  async coordinatorKilled(): Promise<void> {
    await this.postgres.coordinator.stop();
    await pause(AWAY_MS);
    await this.postgres.coordinator.startAgain();
  }

  /** Whether the step was met. */
  async #killOnce(step: Step, killed: Killed): Promise<boolean> {
    const { shard, port } = await this.#place();
    const watcher = await connect(this.postgres.url(this.postgres.coordinator), WAIT_MS);
    const mover = await connect(this.postgres.url(this.postgres.coordinator), WAIT_MS);
    for (const each of [watcher, mover]) each.on('error', () => undefined); // it is killed
    let isOver = false;
    try {
      const { rows } = await mover.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const moving = mover
        .query(MOVE, [shard, port, this.#other(port)])
        .catch(() => undefined)
        .finally(() => (isOver = true));
      while (!isOver) {
        const { rows: progress } = await watcher.query<{ status: string }>(`SELECT DISTINCT status FROM get_rebalance_progress()`);
        if (!progress.some(({ status }) => status === step)) continue;
        await this.#kill(killed, { port, pid: rows[0]!.pid, watcher });
        await moving;
        return true;
      }
      return false;
    } finally {
      await Promise.allSettled([watcher.end(), mover.end()]);
    }
  }

  async #kill(killed: Killed, { port, pid, watcher }: { readonly port: number; readonly pid: number; readonly watcher: Client }): Promise<void> {
    if (killed === 'the session of the move') return void (await watcher.query('SELECT pg_terminate_backend($1::int)', [pid]));
    const { coordinator } = this.postgres;
    const server = killed === 'the coordinator' ? coordinator : this.postgres.nodeAt(killed === 'the node that it leaves' ? port : this.#other(port));
    await server.stop();
    await pause(AWAY_MS);
    await server.startAgain();
  }

  #other(port: number): number {
    return this.postgres.ports.find((other) => other !== port)!;
  }

  async #place(): Promise<Place> {
    const { rows } = await this.#withCoordinator((owner) =>
      owner.query<Place>(
        `SELECT t.tenant_id::text AS tenant, s.shardid::text AS shard, s.nodeport AS port FROM (SELECT tenant_id FROM tenant LIMIT 1) t
         JOIN citus_shards s ON s.table_name = 'event'::regclass AND s.shardid = get_shard_id_for_distribution_column('event', t.tenant_id)`,
      ),
    );
    return rows[0]!;
  }

  #withCoordinator<T>(work: (owner: Client) => Promise<T>): Promise<T> {
    return withConnection(this.postgres.url(this.postgres.coordinator), WAIT_MS, work);
  }
}

const MOVE = `SELECT citus_move_shard_placement($1::bigint, '127.0.0.1', $2, '127.0.0.1', $3, 'force_logical')`;
