import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/env.js';
import type { SessionState } from '../core/session/state.js';
import { EmbeddedMessages } from '../core/normalize/embedded-messages.js';
import { NormalizationCache } from '../core/normalize/normalization-cache.js';

/** What the requests of a session leave for the next one. */
export interface NormalizationEntry {
  view: NormalizationCache;
  embedded: EmbeddedMessages;
}

const nothingYet = (): NormalizationEntry => ({ view: new NormalizationCache(), embedded: new EmbeddedMessages() });

/** Even a small image counts so much, so that not too many sessions are remembered for theirs. */
const LEAST = 64 * 1024;

/**
 * As long as a session's state is cached, its next request has less to do. What it takes to remember grows with the messages, which the cache of states counts;
 * images and documents it does not count, so they are counted here: past `MEDIA_CACHE_BYTES` the sessions that asked longest ago begin anew.
 */
@Injectable()
export class NormalizationCaches {
  readonly #memories = new WeakMap<SessionState, NormalizationEntry>();
  /** Those with images or documents, by what these take; the one that asked last at the end. */
  readonly #large = new Map<NormalizationEntry, number>();
  #bytes = 0;

  constructor(@Inject(SETTINGS) private readonly settings: Pick<Settings, 'MEDIA_CACHE_BYTES'>) {}

  of(state: SessionState): NormalizationEntry {
    const memory = this.#memories.get(state) ?? nothingYet();
    this.#memories.set(state, memory);
    return memory;
  }

  /** To be called when a request has been made with it. */
  count(memory: NormalizationEntry): void {
    const { characters } = memory.embedded;
    if (characters === 0) return;
    // Each character is there twice: in the message, and in the message as it was written.
    const bytes = Math.max(LEAST, 2 * characters);
    this.#bytes += bytes - (this.#large.get(memory) ?? 0);
    this.#large.delete(memory);
    this.#large.set(memory, bytes);
    for (const [oldest, its] of this.#large) {
      if (this.#bytes <= this.settings.MEDIA_CACHE_BYTES) return;
      this.#large.delete(oldest);
      Object.assign(oldest, nothingYet());
      this.#bytes -= its;
    }
  }
}
