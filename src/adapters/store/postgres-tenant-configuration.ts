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
    await this.database.run((client) =>
      client.$transaction(
        names.map((name) => {
          const value = (changes[name] ?? NO_TENANT_SETTINGS[name] ?? Prisma.JsonNull) as Prisma.InputJsonValue;
          return client.tenantSetting.upsert({
            where: { tenantId_name: { tenantId, name } },
            create: { tenantId, name, value },
            update: { value, updatedAt: new Date() },
          });
        }),
      ),
    );
    this.#read.delete(tenantId);
    return this.read(tenantId);
  }

  override async hookSecret(tenantId: string, fresh: string): Promise<string> {
    const name = 'hookSecret';
    const where = { tenantId_name: { tenantId, name } };
    const [, row] = await this.database.run((client) =>
      client.$transaction([
        client.tenantSetting.createMany({ data: [{ tenantId, name, value: fresh }], skipDuplicates: true }),
        client.tenantSetting.findUniqueOrThrow({ where }),
      ]),
    );
    this.#read.delete(tenantId);
    return String(row.value);
  }

  async #load(tenantId: string): Promise<TenantSettings> {
    const rows = await this.database.run((client) => client.tenantSetting.findMany({ where: { tenantId } }));
    return { ...NO_TENANT_SETTINGS, ...Object.fromEntries(rows.map(({ name, value }) => [name, value])) };
  }
}
