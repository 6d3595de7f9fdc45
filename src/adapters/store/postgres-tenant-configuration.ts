import { TenantConfiguration } from '../../core/ports.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { Database } from './prisma.js';
import { NO_TENANT_SETTINGS, type TenantSettings } from '../../core/tenants/tenant-settings.js';

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

  override async change(tenantId: string, changes: Partial<TenantSettings>, unlessSet: Partial<TenantSettings> = {}): Promise<TenantSettings> {
    const sections = [...Object.entries(changes).map(entryOf(true)), ...Object.entries(unlessSet).map(entryOf(false))];
    if (sections.length > 0) await this.database.run((client) => client.$executeRaw(write(tenantId, sections)));
    this.#read.delete(tenantId);
    return this.read(tenantId);
  }

  async #load(tenantId: string): Promise<TenantSettings> {
    const rows = await this.database.run((client) => client.$queryRaw<{ name: string; value: string }[]>(readAll(tenantId)));
    return { ...NO_TENANT_SETTINGS, ...Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown])) };
  }
}

/* Values go in and out as text: on its way through the generated client, JSON must be well-formed Unicode, which what people write need not be. */

const readAll = (tenantId: string): Prisma.Sql => Prisma.sql`SELECT name, value::text AS value FROM tenant_setting WHERE tenant_id = ${tenantId}::uuid`;

interface Section {
  readonly name: string;
  readonly value: string;
  /** Whether it takes the place of what is there. */
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
