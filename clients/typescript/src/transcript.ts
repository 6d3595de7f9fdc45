import type { Messages } from './api.js';
import type { Client } from './client.js';
import { ProblemError } from './problem.js';

export type TranscriptMessage = Messages['data'][number];

/** Messages that are read at once; of a conversation that is opened, the newest ones first. */
const PAGE = 1_000;
const NEWEST = 100;

/**
 * The messages of a session, read page by page. Each change that makes a page that is on its way too old assigns another array: the page is then dropped when it
 * arrives.
 */
export class Transcript {
  messages: readonly TranscriptMessage[] = [];
  /** Number of messages before `messages` that have not been read yet. */
  #missing = 0;
  /** Whether messages that have been read have changed: content of them was erased. */
  #isOutdated = false;

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
    this.messages = [...this.messages];
  }

  /** Drops the messages from the first of `removed` on. */
  cut(removed: readonly string[]): void {
    const gone = new Set(removed);
    const at = this.messages.findIndex(({ uuid }) => gone.has(uuid));
    this.messages = this.messages.slice(0, at < 0 ? undefined : at);
  }

  clear(): void {
    this.messages = [];
  }

  /** Adds the messages after those that are known; those before them follow by `readEarlier`. False when a change came in between, and asked for another read. */
  read(signal: AbortSignal): Promise<boolean> {
    return this.messages.length === 0 || this.#isOutdated ? this.#readNewest(signal) : this.#readLater(signal);
  }

  async readEarlier(signal: AbortSignal): Promise<void> {
    while (this.#missing > 0) {
      const known = this.messages;
      const cursor = Math.max(0, this.#missing - PAGE);
      const { data } = await this.client.listMessages({ id: this.id, cursor, limit: this.#missing - cursor }, { signal });
      if (known !== this.messages) return;
      this.messages = [...data, ...known];
      this.#missing = cursor;
    }
  }

  async #readLater(signal: AbortSignal): Promise<boolean> {
    for (let cursor: number | null = this.#missing + this.messages.length; cursor !== null;) {
      const known = this.messages;
      const { data, nextCursor }: Messages = await this.client.listMessages({ id: this.id, cursor, limit: PAGE }, { signal });
      if (known !== this.messages) return false;
      this.messages = [...known, ...data];
      cursor = nextCursor === null ? null : Number(nextCursor);
    }
    return true;
  }

  async #readNewest(signal: AbortSignal): Promise<boolean> {
    const known = this.messages;
    const page = await this.client.listMessages({ id: this.id, newest: true, limit: NEWEST }, { signal }).catch((error: unknown) => {
      if (error instanceof ProblemError && error.code === 'invalid_input') return null;
      throw error;
    });
    if (known !== this.messages) return false;
    this.#isOutdated = false;
    this.messages = page?.data ?? [];
    this.#missing = page?.position ?? 0;
    return page !== null || this.#readLater(signal); // null: a server of an earlier version
  }
}
