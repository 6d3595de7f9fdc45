import type { TurnClaim } from '../../ports/index.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

/** Members of every command: the caller, the session, and what makes a repeat recognisable. */
export interface CommandContext {
  readonly principal: AuthorizedCaller;
  readonly sessionId: string;
  /** The same for every repeat of one request, so that a repeat finds the receipt of the first execution. */
  readonly commandId: string;
  /** SHA-256 (hexadecimal) of the request. A repeat under the same command id must have the same one. */
  readonly requestHash: string;
  /** The session's version that the caller requires; null: any. */
  readonly expectedVersion: number | null;
  /** Tag that is recorded with everything this command causes. */
  readonly workload?: string;
  /** Of the worker that reports; absent for a user's command. */
  readonly claim?: TurnClaim;
}

/** Members of every command's result. */
export interface CommandResult {
  /** The session's version after the command. */
  readonly version: number;
  /** The command had been executed before; this is the result of the first execution. */
  readonly replayed: boolean;
}

/** The request hash of commands that the server issues itself: their ids are derived, so no other request can use one. */
export const OWN_REQUEST = '0'.repeat(64);
