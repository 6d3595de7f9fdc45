import { TenantConfiguration } from '../../ports/index.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import { NO_TENANT_SETTINGS, type TenantSettings } from '../../session/tenants/tenant-settings.js';

/** How long settings are cached, in milliseconds. */
const CACHE_MS = 1_000;

/** The maximum number of tenants with cached settings. */
const MAX_CACHED = 10_000;

export class PostgresTenantConfiguration extends TenantConfiguration {
  readonly #cache = new Map<string, { readonly at: number; readonly settings: Promise<TenantSettings> }>();

  constructor(private readonly database: Database) {
    super();
  }

  override read(tenantId: string): Promise<TenantSettings> {
    const now = performance.now();
    const known = this.#cache.get(tenantId);
    if (known && now - known.at < CACHE_MS) return known.settings;
    const settings = this.#load(tenantId);
    this.#cache.delete(tenantId);
    this.#cache.set(tenantId, { at: now, settings });
    const oldest = this.#cache.size > MAX_CACHED ? this.#cache.keys().next().value : undefined;
    if (oldest !== undefined) this.#cache.delete(oldest);
    settings.catch(() => this.#cache.delete(tenantId));
    return settings;
  }

  override async change(tenantId: string, changes: Partial<TenantSettings>, unlessSet: Partial<TenantSettings> = {}): Promise<TenantSettings> {
    const sections = [...Object.entries(changes).map(entryOf(true)), ...Object.entries(unlessSet).map(entryOf(false))];
    if (sections.length > 0) await this.database.inTenant(tenantId, (client) => client.$executeRaw(write(tenantId, sections)));
    this.#cache.delete(tenantId);
    return this.read(tenantId);
  }

  async #load(tenantId: string): Promise<TenantSettings> {
    const rows = await this.database.inTenant(tenantId, (client) => client.$queryRaw<{ name: string; value: string }[]>(readAll(tenantId)));
    return { ...NO_TENANT_SETTINGS, ...Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown])) };
  }
}

/* Values are passed as text: the generated client requires JSON to be well-formed Unicode, which user input need not be. */

const readAll = (tenantId: string): Prisma.Sql => Prisma.sql`SELECT name, value::text AS value FROM tenant_setting WHERE tenant_id = ${tenantId}::uuid`;

interface Section {
  readonly name: string;
  readonly value: string;
  /** Whether it replaces an existing value. */
  readonly replaces: boolean;
}

const entryOf =
  (replaces: boolean) =>
  ([name, value]: readonly [string, unknown]): Section => ({
    name,
    value: JSON.stringify(value ?? NO_TENANT_SETTINGS[name as keyof TenantSettings]),
    replaces,
  });

const write = (tenantId: string, sections: readonly Section[]): Prisma.Sql => Prisma.sql`
  WITH given AS (SELECT * FROM unnest(${sections.map(({ name }) => name)}::text[], ${sections.map(({ value }) => value)}::text[], ${sections.map(({ replaces }) => replaces)}::boolean[]) AS section (name, value, replaces))
  INSERT INTO tenant_setting AS known (tenant_id, name, value)
  SELECT ${tenantId}::uuid, name, value::json FROM given ORDER BY name
  ON CONFLICT (tenant_id, name) DO UPDATE SET value = excluded.value, updated_at = now()
  WHERE known.value::text = 'null' OR (SELECT replaces FROM given WHERE given.name = known.name)`;
