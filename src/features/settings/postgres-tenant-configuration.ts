import { DomainError } from '../../../packages/protocol/errors.js';
import { type SettingsChange, type SettingsEdit, SettingsHistory, type StoredSettings, TenantConfiguration } from '../../ports/index.js';
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

  override async change(
    tenantId: string,
    changes: Partial<TenantSettings>,
    unlessSet: Partial<TenantSettings> = {},
    { by, expected }: SettingsEdit = { by: null, expected: null },
  ): Promise<StoredSettings> {
    const sections = [...Object.entries(changes).map(entryOf(true)), ...Object.entries(unlessSet).map(entryOf(false))];
    const [row] = await this.database.inTenant(tenantId, (client) =>
      client.$queryRaw<{ readonly version: bigint | null }[]>(write(tenantId, sections, expected, by)),
    );
    if (row!.version === null) throw await this.#conflict(tenantId);
    this.#cache.delete(tenantId);
    return { settings: await this.read(tenantId), version: Number(row!.version) };
  }

  async #load(tenantId: string): Promise<TenantSettings> {
    return settingsOf(await this.database.inTenant(tenantId, (client) => client.$queryRaw<Row[]>(readAll(tenantId))));
  }

  async #conflict(tenantId: string): Promise<DomainError> {
    const [last] = await new PostgresSettingsHistory(this.database).changes(tenantId, 1, null);
    const text = 'The settings have been changed since they were read; nothing was changed. Read them again, and repeat the request with their version.';
    return new DomainError('version_conflict', text, [], { version: last?.version ?? 0 });
  }
}

export class PostgresSettingsHistory extends SettingsHistory {
  constructor(private readonly database: Database) {
    super();
  }

  override async current(tenantId: string): Promise<StoredSettings> {
    const rows = await this.database.inTenant(tenantId, (client) => client.$queryRaw<VersionedRow[]>(readVersioned(tenantId)));
    return { settings: settingsOf(rows.filter((row): row is VersionedRow & Row => row.name !== null)), version: Number(rows[0]!.version) };
  }

  override async changes(tenantId: string, limit: number, before: number | null): Promise<readonly SettingsChange[]> {
    const rows = await this.database.inTenant(tenantId, (client) => client.$queryRaw<ChangeRow[]>(newestChanges(tenantId, limit, before)));
    return rows.map((row) => ({ version: Number(row.version), changedAt: row.changed_at.toISOString(), changedBy: row.changed_by, sections: row.sections }));
  }
}

interface Row {
  readonly name: string;
  readonly value: string;
}

interface VersionedRow {
  readonly version: bigint;
  /** Null: the tenant has set nothing. */
  readonly name: string | null;
  readonly value: string | null;
}

interface ChangeRow {
  readonly version: bigint;
  readonly changed_at: Date;
  readonly changed_by: string | null;
  readonly sections: readonly string[];
}

const settingsOf = (rows: readonly Row[]): TenantSettings => ({
  ...NO_TENANT_SETTINGS,
  ...Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown])),
});

/* Values are passed as text: the generated client requires JSON to be well-formed Unicode, which user input need not be. */

const readAll = (tenantId: string): Prisma.Sql => Prisma.sql`SELECT name, value::text AS value FROM tenant_setting WHERE tenant_id = ${tenantId}::uuid`;

/** In one statement, so that the version is that of the values. */
const readVersioned = (tenantId: string): Prisma.Sql => Prisma.sql`
  SELECT (SELECT coalesce(max(c.version), 0) FROM tenant_setting_change c WHERE c.tenant_id = ${tenantId}::uuid) AS version, s.name, s.value::text AS value
  FROM (SELECT) one LEFT JOIN tenant_setting s ON s.tenant_id = ${tenantId}::uuid`;

/** Rows of one version are neighbours in the key. */
const newestChanges = (tenantId: string, limit: number, before: number | null): Prisma.Sql => Prisma.sql`
  SELECT c.version, min(c.changed_at) AS changed_at, min(c.changed_by::text) AS changed_by, array_agg(c.name ORDER BY c.name) AS sections
  FROM tenant_setting_change c WHERE c.tenant_id = ${tenantId}::uuid ${before === null ? Prisma.empty : Prisma.sql`AND c.version < ${before}::bigint`}
  GROUP BY c.tenant_id, c.version ORDER BY c.version DESC LIMIT ${limit}::bigint`;

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

const write = (tenantId: string, sections: readonly Section[], expected: number | null, by: string | null): Prisma.Sql => Prisma.sql`
  SELECT change_settings(${tenantId}::uuid, ${sections.map(({ name }) => name)}::text[], ${sections.map(({ value }) => value)}::text[],
    ${sections.map(({ replaces }) => replaces)}::boolean[], ${expected}::bigint, ${by}::uuid) AS version`;
