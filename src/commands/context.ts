import type { Principal } from '../core/ports.js';

/** Who asks for what, under which name: what every command carries besides its own words. */
export interface CommandContext {
  readonly principal: Principal;
  readonly sessionId: string;
  /** Names this command for ever; made from the idempotency key where the caller gave one. */
  readonly commandId: string;
  /** SHA-256 of the request; the same key with another request is refused. */
  readonly requestHash: string;
  /** The version the caller saw; null = any. */
  readonly expectedVersion: number | null;
  readonly workload?: string;
}
