import type { Gate, NormalizeGates, PromptGates } from '../gates.js';
import type { FileLimits } from '../media/inspect-file.js';
import type { CompactionLimits } from '../session/compaction-limits.js';

/** A running system's clock and source of ids; handed in so that rules stay pure and tests can hold time still. */
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

/** Which gates are on for a tenant now. */
export abstract class GateSource {
  /** Those of the view: written down with the request they are used for. */
  abstract snapshot(tenantId: string): Promise<NormalizeGates>;
  /** Those of a prompt's way in. */
  abstract intake(tenantId: string): Promise<PromptGates>;
  /** All of them, and who says so. */
  abstract list(tenantId: string): Promise<readonly GateState[]>;
}

export interface GateState {
  readonly name: Gate;
  readonly enabled: boolean;
  readonly source: 'default' | 'deployment' | 'tenant';
}

/** Limits that commands and the turn engine hold callers and the model to. */
export abstract class Limits {
  abstract readonly maxPromptCharacters: number;
  abstract readonly files: FileLimits;
  abstract readonly maxQueuedPrompts: number;
  abstract readonly maxRequestsPerTurn: number;
  abstract readonly maxOutputTokens: number;
  abstract readonly modelAttempts: number;
  /** After so many failures in a row of one request, the last one being a lost worker, its turn has failed. */
  abstract readonly maxLostWorkers: number;
  abstract readonly modelRetryMaxMs: number;
  abstract readonly compaction: CompactionLimits;
}

export abstract class Digest {
  /** SHA-256 of the text's UTF-8 bytes, hexadecimal. */
  abstract sha256(text: string): string;
}
