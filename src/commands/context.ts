import type { Principal } from '../core/session/principal.js';

/** What every command carries besides what it asks for: who asks, about which session, and under which name it is remembered. */
export interface CommandContext {
  readonly principal: Principal;
  readonly sessionId: string;
  /** The same for every repeat of one request, so that a repeat finds the first one's receipt. */
  readonly commandId: string;
  /** SHA-256 (hexadecimal) of what was asked. */
  readonly requestHash: string;
  /** The version the caller has seen and insists on; null when it does not care. */
  readonly expectedVersion: number | null;
  /** Tag that travels with everything this command causes. */
  readonly workload?: string;
}

/** What every command answers besides its own answer. */
export interface Carried {
  /** The session's version after the command. */
  readonly version: number;
  /** The command had been carried out before; this is the first answer again. */
  readonly replayed: boolean;
}

/** The request's hash of commands that no client can repeat under another one: their ids are our own. */
export const OWN_REQUEST = '0'.repeat(64);
