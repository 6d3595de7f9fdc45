import type { Chance } from '../../test/support/random.js';
import type { Input, Load } from './load.js';
import type { Servers } from './servers.js';

/** How a rig is run. */
export interface RigOptions {
  readonly seed: number;
  /** Only the faults that take seconds: as part of the tests. */
  readonly isShort: boolean;
  /** Ends the run before its next fault, and all that it has started. */
  readonly signal?: AbortSignal;
}

/** The programs around the server that a rig has started. */
export interface Surroundings {
  /** Settings of each server: of as many as there are, one after the other. */
  readonly servers: readonly Readonly<Record<string, string>>[];
  /** DATABASE_URL of the command that makes the tenant, and of those that ask the log afterwards. */
  readonly databaseUrl: string;
  /** What users send; a short text unless it is given. `index`: how many prompts the user has sent. */
  readonly input?: Input;
  /** What goes wrong under load, in order. */
  readonly faults: readonly Fault[];
  /** Ends all that the rig has started. */
  stop(): Promise<void>;
}

/** What a fault may use. */
export interface UnderLoad {
  readonly servers: Servers;
  readonly load: Load;
  readonly chance: Chance;
}

export interface Fault {
  /** As the table names it. */
  readonly name: string;
  /** Whether the short form has it. */
  readonly isShort: boolean;
  /** Breaks something. Resolves when no more is broken, or when the rest can do without it. */
  inject(under: UnderLoad): Promise<void>;
  /** Repairs what the following faults need, after the load has continued. */
  repair?(under: UnderLoad): Promise<void>;
}

/** A deployment of real programs, and what goes wrong in it. */
export interface Rig {
  readonly name: string;
  readonly about: string;
  /** Programs that must be installed, beside Node. */
  readonly programs: readonly string[];
  /** Whether the installed Postgres must have the extension Citus. */
  readonly isDistributed?: true;
  start(options: RigOptions): Promise<Surroundings>;
}
