import { NO_TENANT_SETTINGS, TenantConfiguration, type TenantSettings } from '../../core/ports.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { Database } from './prisma.js';

/** How long a process may go by what it has read, in milliseconds. */
const FRESH_MS = 1_000;

/** Tenants whose settings are kept at hand. */
const KEPT = 10_000;

export class PostgresTenantConfiguration extends TenantConfiguration {
  readonly #read = new Map<string, { readonly at: number; readonly settings: Promise<TenantSettings> }>();

  constructor(private readonly database: Database) {
    super();
  }

  override read(tenantId: string): Promise<TenantSettings> {
    const now = performance.now();
    const known = this.#read.get(tenantId);
    if (known && now - known.at < FRESH_MS) return known.settings;
    const settings = this.#load(tenantId);
    this.#read.delete(tenantId);
    this.#read.set(tenantId, { at: now, settings });
    const oldest = this.#read.size > KEPT ? this.#read.keys().next().value : undefined;
    if (oldest !== undefined) this.#read.delete(oldest);
    settings.catch(() => this.#read.delete(tenantId));
    return settings;
  }

  override async change(tenantId: string, changes: Partial<TenantSettings>): Promise<TenantSettings> {
    const names = Object.keys(changes) as (keyof TenantSettings)[];
    const values = names.map((name) => JSON.stringify(changes[name] ?? NO_TENANT_SETTINGS[name]));
    if (names.length > 0) await this.database.run((client) => client.$executeRaw(write(tenantId, names, values)));
    this.#read.delete(tenantId);
    return this.read(tenantId);
  }

  override async hookSecret(tenantId: string, fresh: string): Promise<string> {
    const [row] = await this.database.run((client) => client.$queryRaw<{ value: string }[]>(writeUnlessSet(tenantId, 'hookSecret', JSON.stringify(fresh))));
    this.#read.delete(tenantId);
    return JSON.parse(row?.value ?? 'null') as string;
  }

  async #load(tenantId: string): Promise<TenantSettings> {
    const rows = await this.database.run((client) => client.$queryRaw<{ name: string; value: string }[]>(readAll(tenantId)));
    return { ...NO_TENANT_SETTINGS, ...Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown])) };
  }
}

/* Values go in and out as text: on its way through the generated client, JSON must be well-formed Unicode, which what people write need not be. */

const readAll = (tenantId: string): Prisma.Sql => Prisma.sql`SELECT name, value::text AS value FROM tenant_setting WHERE tenant_id = ${tenantId}::uuid`;

const write = (tenantId: string, names: readonly string[], values: readonly string[]): Prisma.Sql => Prisma.sql`
  INSERT INTO tenant_setting (tenant_id, name, value)
  SELECT ${tenantId}::uuid, given.name, given.value::json FROM unnest(${names}::text[], ${values}::text[]) AS given (name, value)
  ON CONFLICT (tenant_id, name) DO UPDATE SET value = excluded.value, updated_at = now()`;

/** Of several that come at once, the first one's value stays, and all of them are told it. */
const writeUnlessSet = (tenantId: string, name: string, value: string): Prisma.Sql => Prisma.sql`
  INSERT INTO tenant_setting AS known (tenant_id, name, value) VALUES (${tenantId}::uuid, ${name}, ${value}::json)
  ON CONFLICT (tenant_id, name) DO UPDATE SET value = CASE known.value::text WHEN 'null' THEN excluded.value ELSE known.value END
  RETURNING value::text AS value`;
