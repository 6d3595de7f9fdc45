import type { Messages } from './api.js';
import type { Client } from './client.js';
import { ProblemError } from './problem.js';

export type TranscriptMessage = Messages['data'][number];

/** Messages that are read at once; of a conversation that is opened, the newest ones first. */
const PAGE = 1_000;
const NEWEST = 100;

/**
 * The messages of a session: read page by page, and added as their events arrive. A page that was on its way while messages before it changed is dropped when it
 * arrives.
 */
export class Transcript {
  messages: readonly TranscriptMessage[] = [];
  /** Sequence number of the last event that the end of `messages` includes. */
  version = 0;
  /** Number of messages before `messages` that have not been read yet. */
  #missing = 0;
  /** Messages at the end that were added, not read. The next read takes their place: pages are asked for by position, and the server decides what has one. */
  #added = 0;
  /** Whether messages that have been read have changed: content of them was erased. */
  #isOutdated = false;
  /** Changes whenever the pages that are on their way become too old. */
  #edition = 0;

  constructor(
    private readonly client: Client,
    private readonly id: string,
  ) {}

  /** Whether `messages` begins with the first message. */
  get isComplete(): boolean {
    return this.#missing === 0;
  }

  /** The messages that are known are read again. They stay until then. */
  outdate(): void {
    this.#isOutdated = this.messages.length > 0;
    this.#edition += 1;
  }

  /** Drops the messages from the first of `removed` on. */
  cut(removed: readonly string[]): void {
    const gone = new Set(removed);
    const at = this.messages.findIndex(({ uuid }) => gone.has(uuid));
    const kept = this.messages.slice(0, at < 0 ? undefined : at);
    this.#added = Math.max(0, this.#added - (this.messages.length - kept.length));
    this.messages = kept;
    this.#edition += 1;
  }

  clear(): void {
    this.messages = [];
    this.#added = 0;
    this.#edition += 1;
  }

  /** Adds the message of the event after `version`; null: one that readers do not see. Not while `read` is under way. */
  add(message: TranscriptMessage | null): void {
    this.version += 1;
    if (message === null) return;
    this.messages = [...this.messages, message];
    this.#added += 1;
  }

  /** Reads the messages after those that were read; those before them follow by `readEarlier`. False when a change came in between, and asked for another read. */
  read(signal: AbortSignal): Promise<boolean> {
    return this.messages.length === this.#added || this.#isOutdated ? this.#readNewest(signal) : this.#readLater(signal);
  }

  /** Reads a page of the messages before those that are known. */
  async readEarlier(signal: AbortSignal): Promise<void> {
    const edition = this.#edition;
    const cursor = Math.max(0, this.#missing - PAGE);
    const { data } = await this.client.listMessages({ id: this.id, cursor, limit: this.#missing - cursor }, { signal });
    if (edition !== this.#edition) return;
    this.messages = [...data, ...this.messages];
    this.#missing = cursor;
  }

  async #readLater(signal: AbortSignal): Promise<boolean> {
    const edition = this.#edition;
    for (let cursor: number | null = this.#missing + this.messages.length - this.#added; cursor !== null;) {
      const { data, nextCursor, version }: Messages = await this.client.listMessages({ id: this.id, cursor, limit: PAGE }, { signal });
      if (edition !== this.#edition) return false;
      this.messages = [...this.messages.slice(0, this.messages.length - this.#added), ...data];
      this.#added = 0;
      this.version = version;
      cursor = nextCursor === null ? null : Number(nextCursor);
    }
    return true;
  }

  async #readNewest(signal: AbortSignal): Promise<boolean> {
    const edition = this.#edition;
    const page = await this.client.listMessages({ id: this.id, newest: true, limit: NEWEST }, { signal }).catch((error: unknown) => {
      if (error instanceof ProblemError && error.code === 'invalid_input') return null;
      throw error;
    });
    if (edition !== this.#edition) return false;
    this.#edition += 1; // earlier pages are of the messages that this one replaces
    this.#isOutdated = false;
    this.messages = page?.data ?? [];
    this.#added = 0;
    this.#missing = page?.position ?? 0;
    this.version = page?.version ?? 0;
    return page !== null || this.#readLater(signal); // null: a server of an earlier version
  }
}
