import pg from 'pg';

/** What pg's own query does with the connection; its types leave it out. */
interface WireQuery {
  readonly text: string;
  readonly name?: string;
  readonly types?: unknown;
  requiresPreparation(): boolean;
  hasBeenParsed(connection: Wire): boolean;
  prepare(connection: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
}

interface Wire {
  readonly submittedNamedStatements: Record<string, string>;
  parse(statement: { readonly text: string; readonly name?: string; readonly types?: unknown }): void;
  bind(values: { readonly portal: string; readonly statement: string; readonly values: readonly string[] }): void;
  execute(portal: { readonly portal: string }): void;
}

type Callback = (error: unknown, result: unknown) => void;

const WireQuery = pg.Query as unknown as new (config: unknown, values: unknown, callback: Callback) => WireQuery;

/** How far a primary had committed. */
export interface PrimaryPosition {
  /** Of the database, see `database_identity` in the database. */
  readonly identity: string;
  readonly timeline: number;
  /** Up to here the log of the server is on disk, in the notation of Postgres: `16/B374D848`. */
  readonly lsn: string;
}

/** The options of a statement with a tenant: it sees the rows of this tenant, without one none. */
export interface TenantConfig extends pg.QueryConfig {
  readonly tenant: string;
  /** Of a statement on a standby: it fails unless the server has replayed the primary up to here. */
  readonly replayed?: PrimaryPosition;
}

/** The options of a statement with its own settings. */
export interface LocalConfig extends pg.QueryConfig {
  readonly local: Readonly<Record<string, string>>;
}

export const hasTenant = (config: unknown): config is TenantConfig => typeof config === 'object' && config !== null && 'tenant' in config;

export const hasSettings = (config: unknown): config is TenantConfig | LocalConfig =>
  hasTenant(config) || (typeof config === 'object' && config !== null && 'local' in config);

/** current_tenant() in the database reads it. */
const TENANT_SETTING = 'verbatim.tenant';

/**
 * A statement that sets its tenant, or other settings, first, in the same message: what is sent up to one Sync is one transaction. So it takes one round trip and begins no
 * transaction of its own, nothing is left on the connection, and a pooler in transaction mode cannot put another client's statement in between.
 */
export class LocalQuery extends WireQuery {
  readonly #settings: readonly string[];
  readonly #replayed: readonly string[];
  #isSet = false;

  constructor(config: TenantConfig | LocalConfig, values: unknown, callback: Callback) {
    const { tenant, local, replayed, ...statement } = config as TenantConfig & LocalConfig;
    super(statement, values, callback);
    this.#settings = Object.entries({ ...local, ...(tenant !== undefined && { [TENANT_SETTING]: tenant }) }).flat();
    this.#replayed = replayed ? [replayed.identity, String(replayed.timeline), replayed.lsn] : [];
  }

  /** A text without parameters would be sent by a protocol that takes one message. */
  override requiresPreparation(): boolean {
    return true;
  }

  override prepare(connection: Wire): void {
    // First, because pg takes the first answer for that of the statement with a name.
    if (this.name && !this.hasBeenParsed(connection)) {
      connection.parse({ text: this.text, name: this.name, types: this.types });
      connection.submittedNamedStatements[this.name] = this.text;
    }
    connection.parse({ text: setLocal(this.#settings.length / 2, this.#replayed.length > 0) });
    connection.bind({ portal: '', statement: '', values: [...this.#settings, ...this.#replayed] });
    connection.execute({ portal: '' });
    super.prepare(connection);
  }

  override handleDataRow(message: unknown): void {
    if (this.#isSet) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.#isSet) super.handleCommandComplete(message, connection);
    this.#isSet = true;
  }
}

/** With `isProven`, a proof comes before the settings: when it fails, nothing after it runs. */
function setLocal(settings: number, isProven: boolean): string {
  const calls = Array.from({ length: settings }, (_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, true)`);
  const [identity, timeline, lsn] = [1, 2, 3].map((place) => `$${2 * settings + place}`);
  return `SELECT ${[...(isProven ? [`require_replayed(${identity}::text, ${timeline}::int, ${lsn}::pg_lsn)`] : []), ...calls].join(', ')}`;
}
