import type { SessionEvent } from '../../packages/protocol/events/events.js';

interface Claim {
  readonly process: string;
  readonly at: number;
}

/** What the world saw, to be compared with the logs. */
export class Observed {
  /** Names of processes, by session and seq. */
  readonly #authors = new Map<string, string>();
  /** By job: all claims, the latest last. */
  readonly #claims = new Map<string, Claim[]>();
  /** When the model or a tool was done, by the id of the request or call. */
  readonly #ended = new Map<string, number>();
  /** Requests for a summary. */
  readonly summaries = new Set<string>();

  appended(sessionId: string, events: readonly SessionEvent[], process: string): void {
    for (const event of events) {
      this.#authors.set(`${sessionId} ${event.seq}`, process);
      if (event.type === 'request.sent' && event.data.purpose === 'compaction') this.summaries.add(event.data.requestId);
    }
  }

  /** The process that appended an event. */
  author(sessionId: string, seq: number): string {
    return this.#authors.get(`${sessionId} ${seq}`) ?? '';
  }

  claimed(jobId: string, process: string, at: number): void {
    this.#claims.set(jobId, [...(this.#claims.get(jobId) ?? []), { process, at }]);
  }

  /** The last claim of the job before a time. */
  claim(jobId: string, before: number): Claim | undefined {
    return this.#claims.get(jobId)?.findLast(({ at }) => at <= before);
  }

  ended(id: string, at: number): void {
    this.#ended.set(id, at);
  }

  /** Infinity: it is still being worked on. */
  endOf(id: string): number {
    return this.#ended.get(id) ?? Infinity;
  }
}
