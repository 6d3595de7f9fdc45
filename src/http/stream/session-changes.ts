import { Logger } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import type { SessionListItem } from '../../ports/index.js';

export interface ChangesOptions {
  /** Most bytes buffered for a slow client; beyond it nothing is read until the buffer has drained. */
  readonly bufferBytes: number;
  /** A client that reads nothing for this long is disconnected; it can resume. In milliseconds. */
  readonly stallMs: number;
  readonly heartbeatMs: number;
}

/** Sessions per read. */
const PAGE = 100;
/** Hints within this time are answered by one read, in milliseconds. */
const GATHER_MS = 50;
/** The time of a change is taken before its commit: a change may become visible after later ones, by at most this many milliseconds. */
const LATE_MS = 5_000;
/** The client's reconnection delay, in milliseconds. */
const RETRY = 2_000;

/**
 * A stream of rows of the session list: the current row of each session of a user that has changed, each version at most once. A session that changes several
 * times between two reads is reported once. A hint triggers a read, and so does every heartbeat: a lost hint costs a delay.
 */
export class SessionChanges {
  readonly #log = new Logger('Stream');
  /** Versions reported lately. */
  readonly #reported = new Map<string, number>();
  #reading = false;
  #requested = false;
  #timer: NodeJS.Timeout | null = null;
  #heartbeat: NodeJS.Timeout | null = null;
  #drainedAt = performance.now();

  constructor(
    private readonly response: ServerResponse,
    private readonly changedSince: (since: string, limit: number, lateMs: number | null) => Promise<readonly SessionListItem[]>,
    private readonly options: ChangesOptions,
    /** Time of the last change that the client has, RFC 3339. */
    private since: string,
  ) {}

  /** `replays`: also reports changes at and shortly before `since`, which the client may not have. */
  async start(replays: boolean): Promise<void> {
    const { response } = this;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' });
    response.write(`retry: ${RETRY}\n\n`);
    await this.#read(replays);
    if (this.#closed) return;
    response.write('event: sessions.synced\ndata: {}\n\n');
    this.#heartbeat = setInterval(() => this.#beat(), this.options.heartbeatMs);
    response.once('close', () => this.close());
  }

  /** Sessions of the user may have changed. */
  hint(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#read(true);
    }, GATHER_MS);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#heartbeat) clearInterval(this.#heartbeat);
  }

  #beat(): void {
    if (!this.#full) {
      this.#drainedAt = performance.now();
      this.response.write(':\n\n');
      void this.#read(true);
    } else if (performance.now() - this.#drainedAt > this.options.stallMs) this.response.destroy();
  }

  async #read(reports: boolean): Promise<void> {
    if (this.#reading) {
      this.#requested = true;
      return;
    }
    this.#reading = true;
    try {
      do {
        this.#requested = false;
        await this.#readAll(reports);
      } while (this.#requested && !this.#closed);
    } catch (error) {
      this.#log.warn({ msg: 'The sessions could not be read; the next hint or heartbeat retries.', err: error });
    }
    this.#reading = false;
  }

  async #readAll(reports: boolean): Promise<void> {
    const seen = new Set<string>();
    let from = this.since;
    let lateMs: number | null = LATE_MS;
    for (let limit = PAGE; !this.#closed && !this.#full;) {
      const rows = await this.changedSince(from, limit, lateMs);
      if (this.#closed) return;
      const text = rows.map((row) => this.#report(row)).join('');
      if (reports && text !== '') this.response.write(text);
      for (const { id } of rows) seen.add(id);
      if (rows.length < limit) {
        // What this read did not return, no later one returns before it has changed again.
        for (const id of this.#reported.keys()) if (!seen.has(id)) this.#reported.delete(id);
        return;
      }
      const last = rows.at(-1)!.updatedAt;
      // A page that lies within one millisecond is reread with a higher limit.
      if (last === from) limit *= 2;
      from = last;
      lateMs = null;
    }
  }

  /** The message for a row; empty when the client has that version. */
  #report(row: SessionListItem): string {
    if ((this.#reported.get(row.id) ?? 0) >= row.version) return '';
    this.#reported.set(row.id, row.version);
    // A change long before the newest one: the clock of the database was set back, and continues from there.
    const isBack = Date.parse(row.updatedAt) < Date.parse(this.since) - LATE_MS;
    if (row.updatedAt > this.since || isBack) this.since = row.updatedAt;
    return `id: ${this.since}\nevent: session.changed\ndata: ${jsonOf(row)}\n\n`;
  }

  get #full(): boolean {
    return this.response.writableLength >= this.options.bufferBytes;
  }

  get #closed(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }
}

/** Streams of one user report the same rows. */
const json = new WeakMap<SessionListItem, string>();

function jsonOf(row: SessionListItem): string {
  const known = json.get(row);
  if (known !== undefined) return known;
  const text = JSON.stringify(row);
  json.set(row, text);
  return text;
}
