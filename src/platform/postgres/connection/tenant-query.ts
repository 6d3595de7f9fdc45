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
  sync(): void;
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

/** The options of a statement that may write on several nodes of a distributed database: settings of the sessions on these nodes, for the time of its transaction. */
export interface NodesConfig extends pg.QueryConfig {
  readonly ofNodes: Readonly<Record<string, string>>;
}

export const hasTenant = (config: unknown): config is TenantConfig => typeof config === 'object' && config !== null && 'tenant' in config;

export const hasSettings = (config: unknown): config is TenantConfig | LocalConfig | NodesConfig =>
  hasTenant(config) || (typeof config === 'object' && config !== null && ('local' in config || 'ofNodes' in config));

/** current_tenant() in the database reads it. */
const TENANT_SETTING = 'verbatim.tenant';

/**
 * A statement that sets its tenant, or other settings, first, in the same message: what is sent up to one Sync is one transaction. So it takes one round trip and begins no
 * transaction of its own, nothing is left on the connection, and a pooler in transaction mode cannot put another client's statement in between.
 *
 * The nodes of a distributed database learn of a setting only in a transaction block: there BEGIN, SET LOCAL and COMMIT are parts of the same message. After an error the server skips the COMMIT, and the
 * client sends a ROLLBACK.
 */
export class LocalQuery extends WireQuery {
  /** Whether an error of the statement leaves a transaction that has to be ended. */
  readonly isBlock: boolean;
  /** What is sent before the statement, with its values. */
  readonly #preamble: readonly (readonly [text: string, values: readonly string[]])[];
  /** Answers that come before that of the statement. */
  #before: number;

  /** `isDistributed`: the nodes of the database are to see the tenant, or the settings for them. */
  constructor(config: TenantConfig | LocalConfig | NodesConfig, values: unknown, callback: Callback, isDistributed = false) {
    const { tenant, local, replayed, ofNodes, ...statement } = config as TenantConfig & LocalConfig & Partial<NodesConfig>;
    super(statement, values, callback);
    const handedOn = [...(tenant === undefined ? [] : [setTenantLocally(tenant)]), ...Object.entries(ofNodes ?? {}).map(setLocally)];
    this.isBlock = isDistributed && handedOn.length > 0;
    const settings = Object.entries({ ...local, ...(tenant !== undefined && { [TENANT_SETTING]: tenant }) }).flat();
    const proof = replayed ? [replayed.identity, String(replayed.timeline), replayed.lsn] : [];
    const set = [setLocal(settings.length / 2, proof.length > 0), [...settings, ...proof]] as const;
    this.#preamble = this.isBlock ? [['BEGIN', []], ...handedOn.map((text) => [text, []] as const), ...(proof.length > 0 || local ? [set] : [])] : [set];
    this.#before = this.#preamble.length;
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
    for (const [text, values] of this.#preamble) run(connection, text, values);
    super.prepare(this.isBlock ? committing(connection) : connection);
  }

  override handleDataRow(message: unknown): void {
    if (this.#before === 0) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.#before === 0) super.handleCommandComplete(message, connection);
    this.#before -= 1; // below zero: the answer of COMMIT
  }
}

function run(connection: Wire, text: string, values: readonly string[] = []): void {
  connection.parse({ text });
  connection.bind({ portal: '', statement: '', values });
  connection.execute({ portal: '' });
}

/** The connection, with a COMMIT before what ends the message. */
const committing = (connection: Wire): Wire =>
  Object.create(connection, {
    sync: {
      value: () => {
        run(connection, 'COMMIT');
        connection.sync();
      },
    },
  }) as Wire;

/** The statement with which a transaction sets its tenant where nodes are to see it: Citus hands SET LOCAL to them, and not what a function sets. */
export const setTenantLocally = (tenant: string): string => setLocally([TENANT_SETTING, tenant]);

function setLocally([name, value]: readonly [name: string, value: string]): string {
  return `SET LOCAL ${name} = ${pg.escapeLiteral(value)}`;
}

/** With `isProven`, a proof comes before the settings: when it fails, nothing after it runs. */
function setLocal(settings: number, isProven: boolean): string {
  const calls = Array.from({ length: settings }, (_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, true)`);
  const [identity, timeline, lsn] = [1, 2, 3].map((place) => `$${2 * settings + place}`);
  return `SELECT ${[...(isProven ? [`require_replayed(${identity}::text, ${timeline}::int, ${lsn}::pg_lsn)`] : []), ...calls].join(', ')}`;
}
