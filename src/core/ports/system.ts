import type { Gate, NormalizeGates, PromptGates } from '../gates.js';
import type { FileLimits } from '../prompt/files/inspect-file.js';
import type { CompactionLimits } from '../session/compaction-limits.js';

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

/** Limits enforced by commands and the turn engine. */
export abstract class Limits {
  abstract readonly maxPromptCharacters: number;
  abstract readonly files: FileLimits;
  abstract readonly maxQueuedPrompts: number;
  abstract readonly maxRequestsPerTurn: number;
  abstract readonly maxOutputTokens: number;
  abstract readonly modelAttempts: number;
  /** Consecutive failures of a request, the last one a lost worker, after which its turn fails. */
  abstract readonly maxLostWorkers: number;
  abstract readonly modelRetryMaxMs: number;
  abstract readonly compaction: CompactionLimits;
}

export abstract class Digest {
  /** SHA-256 of the text's UTF-8 bytes, hexadecimal. */
  abstract sha256(text: string): string;
}
