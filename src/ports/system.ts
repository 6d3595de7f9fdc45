import type { Gate, NormalizeGates, PromptGates } from '../../packages/protocol/gates.js';

/** Clock and source of random ids, injected so that tests can control them. */
export abstract class Clock {
  /** Milliseconds since the epoch. */
  abstract now(): number;
  /** The same moment as RFC 3339 text in UTC, with milliseconds. */
  timestamp(): string {
    return new Date(this.now()).toISOString();
  }
  /** A fresh random uuid. */
  abstract uuid(): string;
}

/** Current gates of a tenant. */
export abstract class GateSource {
  /** Gates of normalization; recorded with each request. */
  abstract snapshot(tenantId: string): Promise<NormalizeGates>;
  /** Gates of prompt processing. */
  abstract intake(tenantId: string): Promise<PromptGates>;
  /** All gates with the source of their value. */
  abstract list(tenantId: string): Promise<readonly GateState[]>;
}

export interface GateState {
  readonly name: Gate;
  readonly enabled: boolean;
  readonly source: 'default' | 'deployment' | 'tenant';
}

export abstract class Digest {
  /** SHA-256 of bytes, or of a text's in UTF-8, hexadecimal. `bytes`: of the digest, only its first ones. */
  abstract sha256(content: string | Uint8Array, bytes?: number): string;
}
