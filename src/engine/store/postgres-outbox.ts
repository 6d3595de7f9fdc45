import { type HeldLeases, type Job, type Leased, Outbox } from '../../ports/index.js';
import { Prisma, type PrismaClient } from '../../generated/prisma/client.js';
import type { ProcessPresence } from '../../platform/postgres/connection/process-presence.js';
import type { Database } from '../../platform/postgres/store/prisma.js';

/** Each method calls one function in the database, which is documented in prisma/functions. */
export class PostgresOutbox extends Outbox {
  readonly #database: Database;

  readonly #presence: ProcessPresence | null;

  constructor(database: Database, presence: ProcessPresence | null = null) {
    super();
    this.#database = database;
    this.#presence = presence;
  }

  override async lease(limit: number, perTenant: number, leaseMs: number): Promise<Leased> {
    const [row] = await this.#database.ofAllTenants(
      (client) => client.$queryRaw<[Leased]>`
        SELECT coalesce((SELECT json_agg(json_build_object('queue', queue, 'id', id, 'payload', payload) ORDER BY place)
            FROM lease_jobs(${limit}::int, ${perTenant}::int, ${leaseMs}::float8) WITH ORDINALITY AS leased(queue, id, payload, place)), '[]') AS jobs,
          next_lease_end() AS "nextMs", next_schedule_run() AS "runMs"`,
      (client, waitMs) => client.$queryRaw<[Leased]>`
        SELECT l.jobs, n.lease_ms AS "nextMs", n.run_ms AS "runMs"
        FROM (SELECT coalesce(json_agg(json_build_object('queue', queue, 'id', id, 'payload', payload) ORDER BY place), '[]') AS jobs
            FROM lease_reachable_jobs(${waitMs}::int, ${limit}::int, ${perTenant}::int, ${leaseMs}::float8) WITH ORDINALITY AS leased(queue, id, payload, place)) l,
          next_reachable(${waitMs}::int) n`,
    );
    return row;
  }

  /** As an append: it waits for a lock of the session, and its commit for a synchronous standby. */
  override async claim({ id, payload }: Job): Promise<number | null> {
    const [row] = await this.#database.append<{ fence: string | null }>(
      payload.tenantId,
      Prisma.sql`SELECT claim_turn(${payload.tenantId}::uuid, ${payload.sessionId}::uuid, ${id}::text) AS fence`,
    );
    if (!row) throw new Error('claim_turn returned nothing');
    return row.fence === null ? null : Number(row.fence);
  }

  override async renew(holder: string, jobs: readonly Job[], leaseMs: number): Promise<readonly string[]> {
    const renew = async (client: PrismaClient, some: readonly Job[]): Promise<readonly string[]> => {
      const rows = await client.$queryRaw<
        { id: string }[]
      >`SELECT id FROM renew_turns(${holder}::uuid, ${tenantsOf(some)}::uuid[], ${idsOf(some)}::text[], ${leaseMs}::float8) AS id`;
      return rows.map(({ id }) => id);
    };
    // Whether the leases of a tenant whose node is away are still held is not known: its turns are rejected by their fencing tokens if they are not.
    const apart = async (client: PrismaClient): Promise<readonly string[]> => {
      const up = await this.#database.nodes.reachable(tenantsOf(jobs));
      const isUp = ({ payload }: Job): boolean => up.has(payload.tenantId);
      const held = await Promise.all(ofEachTenant(jobs.filter(isUp)).map((some) => renew(client, some).catch(() => idsOf(some))));
      return [...held.flat(), ...idsOf(jobs.filter((job) => !isUp(job)))];
    };
    return this.#database.ofAllTenants((client) => renew(client, jobs), apart);
  }

  override async release(holder: string, jobs: readonly Job[]): Promise<void> {
    const release = (client: PrismaClient, some: readonly Job[]): Promise<unknown> =>
      client.$queryRaw`SELECT release_turns(${holder}::uuid, ${tenantsOf(some)}::uuid[], ${idsOf(some)}::text[])::text`;
    await this.#database.ofAllTenants<unknown>(
      (client) => release(client, jobs),
      // Of a tenant whose node is away, the leases end by themselves.
      async (client) => {
        const up = await this.#database.nodes.reachable(tenantsOf(jobs));
        return Promise.allSettled(ofEachTenant(jobs.filter(({ payload }) => up.has(payload.tenantId))).map((some) => release(client, some)));
      },
    );
  }

  override async redeliver(): Promise<void> {
    await this.#database.ofAllTenants(
      (client) => client.$queryRaw`SELECT redeliver_jobs()::text`,
      (client, waitMs) => client.$queryRaw`SELECT redeliver_reachable_jobs(${waitMs}::int)::text`,
    );
  }

  override present(holder: string): void {
    this.#presence?.hold(holder);
  }

  override async endAbandoned(leaseMs: number): Promise<HeldLeases> {
    const overdueMs = this.#presence?.overdueMs(leaseMs) ?? null;
    const [row] = await this.#database.ofAllTenants(
      (client) => client.$queryRaw<[HeldLeases]>`SELECT ended, held, queued FROM end_abandoned_leases(${leaseMs}::float8, ${overdueMs}::float8)`,
      (client, waitMs) =>
        client.$queryRaw<[HeldLeases]>`SELECT ended, held, queued FROM end_reachable_leases(${waitMs}::int, ${leaseMs}::float8, ${overdueMs}::float8)`,
    );
    return row;
  }

  override async requeueOrphaned(idleMs: number, limit: number): Promise<number> {
    const [row] = await this.#database.ofAllTenants(
      (client) => client.$queryRaw<[{ requeued: number }]>`SELECT requeue_orphaned_turns(${idleMs}::float8, ${limit}::int) AS requeued`,
      (client, waitMs) =>
        client.$queryRaw<[{ requeued: number }]>`SELECT requeue_reachable_turns(${waitMs}::int, ${idleMs}::float8, ${limit}::int) AS requeued`,
    );
    return row.requeued;
  }
}

const ofEachTenant = (jobs: readonly Job[]): readonly (readonly Job[])[] =>
  [...new Set(tenantsOf(jobs))].map((id) => jobs.filter(({ payload }) => payload.tenantId === id));
const tenantsOf = (jobs: readonly Job[]): string[] => jobs.map(({ payload }) => payload.tenantId);
const idsOf = (jobs: readonly Job[]): string[] => jobs.map(({ id }) => id);
