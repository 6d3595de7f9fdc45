import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { Sessions } from '../../ports/index.js';
import type { SessionState } from '../../session/state/state.js';
import type { SentMessages } from '../../../packages/normalizer/continue-payload.js';
import { EmbeddedMessages } from '../../../packages/normalizer/embedded-messages.js';
import { NormalizationCache } from '../../../packages/normalizer/normalization-cache.js';

/** Results of building a session's last payload that its next one reuses. */
export interface NormalizationEntry {
  normalization: NormalizationCache;
  embedded: EmbeddedMessages;
  /** The last request that this process built for an answer; null: none. It may not have been recorded. */
  last: { readonly requestId: string; readonly sent: SentMessages } | null;
}

const emptyEntry = (): NormalizationEntry => ({ normalization: new NormalizationCache(), embedded: new EmbeddedMessages(), last: null });

/** Minimum charge of an entry with media, which bounds the number of such entries. */
const MIN_BYTES = 64 * 1024;

/**
 * Caches for building payloads, one per cached session state and evicted with it. The state cache accounts for messages but not for the bytes of images and
 * documents, so those are accounted for here: above `MEDIA_CACHE_BYTES`, the least recently used entries are emptied. The bytes go with the state, since the
 * session may have been erased.
 */
@Injectable()
export class NormalizationCaches {
  readonly #entries = new WeakMap<SessionState, NormalizationEntry>();
  /** Entries with images or documents and their sizes in bytes, least recently used first. */
  readonly #large = new Map<NormalizationEntry, number>();
  /** States that are cached no longer, and their entries: a payload may still be built with one. */
  readonly #evicted = new WeakSet<SessionState | NormalizationEntry>();
  #bytes = 0;

  constructor(
    sessions: Sessions,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MEDIA_CACHE_BYTES'>,
  ) {
    sessions.onEvicted((state) => this.#evict(state));
  }

  of(state: SessionState): NormalizationEntry {
    const entry = this.#entries.get(state) ?? emptyEntry();
    this.#entries.set(state, entry);
    if (this.#evicted.has(state)) this.#evicted.add(entry);
    return entry;
  }

  /** Accounts for an entry after a payload was built with it. */
  count(entry: NormalizationEntry): void {
    const { characters } = entry.embedded;
    if (characters === 0 || this.#evicted.has(entry)) return;
    // Each character is held twice: in the message and in its serialization.
    const bytes = Math.max(MIN_BYTES, 2 * characters);
    this.#bytes += bytes - (this.#large.get(entry) ?? 0);
    this.#large.delete(entry);
    this.#large.set(entry, bytes);
    for (const [oldest, size] of this.#large) {
      if (this.#bytes <= this.settings.MEDIA_CACHE_BYTES) return;
      this.#large.delete(oldest);
      Object.assign(oldest, emptyEntry());
      this.#bytes -= size;
    }
  }

  /** Of the bytes of images and documents that are kept, as far as they are accounted for. */
  get bytes(): number {
    return this.#bytes;
  }

  #evict(state: SessionState): void {
    this.#evicted.add(state);
    const entry = this.#entries.get(state);
    if (!entry) return;
    this.#entries.delete(state);
    this.#evicted.add(entry);
    this.#bytes -= this.#large.get(entry) ?? 0;
    this.#large.delete(entry);
  }
}
