import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { placeOf } from '../../config/database-url.js';
import { clientOptions, type ConnectionOptions } from '../connection/client-options.js';
import type { PrimaryPosition } from '../connection/tenant-query.js';
import { TenantConnections, type TenantWork } from '../store/tenant-connections.js';
import { lsnOf } from './primary-positions.js';
import { StandbyFailure, standbyFailure } from './standby-failure.js';
import { StandbyHealth } from './standby-health.js';

export interface StandbyOptions extends ConnectionOptions {
  /** The maximum number of connections for reads; one more asks how far it is. */
  readonly poolSize: number;
  /** Milliseconds that a read waits for replay, and for the answer to the question how far it is. */
  readonly waitMs: number;
  /** Milliseconds after which a standby that does not answer that question is not used. */
  readonly silenceMs: number;
  readonly report: (problem: string, error: unknown) => void;
}

/** How long it counts that a standby has answered. */
const FRESH_MS = 1_000;

/** Between two questions how far the standby is, while reads wait for it. */
const MAX_POLL_MS = 10;

const ASK = `SELECT require_replayed($1::text, $2::int, '0/0')::text AS lsn`;

/** One address of standbys. Every read proves on the server that it has what the primary had; what this object knows of it only saves time. */
export class Standby {
  readonly #connections: TenantConnections;
  readonly #questions: pg.Pool;
  readonly #health: StandbyHealth;
  #replayed: { readonly of: string; readonly lsn: bigint; readonly at: number } = { of: '', lsn: 0n, at: -Infinity };
  #question: { readonly at: number; readonly answer: Promise<void> } | null = null;

  constructor(private readonly options: StandbyOptions) {
    this.#connections = new TenantConnections(options, options.poolSize);
    const limits = { connectionTimeoutMillis: options.silenceMs, query_timeout: options.silenceMs };
    this.#questions = new pg.Pool({ ...clientOptions(options), ...limits, max: 1 });
    this.#questions.on('error', () => undefined); // the pool replaces an idle connection that breaks
    this.#health = new StandbyHealth(placeOf(options.url), options.report);
  }

  /** Whether a read may be tried here now. */
  take(): boolean {
    const isWaiting = this.#question !== null && performance.now() - this.#question.at > this.options.waitMs;
    return !isWaiting && this.#health.take();
  }

  /** Rejects with a StandbyFailure when the standby has not answered; the work may have run. */
  async read<Result>(tenantId: string, position: PrimaryPosition, work: TenantWork<Result>): Promise<Result> {
    try {
      await this.#reach(position);
      const result = await this.#watched(this.#connections.inTenant(tenantId, work, position), position);
      this.#health.works();
      return result;
    } catch (error) {
      const failure = standbyFailure(error);
      this.#health.failed(failure);
      throw failure;
    }
  }

  /** Waits for running reads, but not longer than for a silent server. */
  async close(): Promise<void> {
    const closed = Promise.all([this.#connections.close(), this.#questions.end()]);
    await Promise.race([closed, pause(this.options.silenceMs, undefined, { ref: false })]);
  }

  /** Resolves when the standby has replayed the position, as far as is known. */
  async #reach(position: PrimaryPosition): Promise<void> {
    const wanted = lsnOf(position.lsn);
    const deadline = performance.now() + this.options.waitMs;
    for (let wait = 1; ; wait = Math.min(wait * 2, MAX_POLL_MS)) {
      const { of, lsn, at } = this.#replayed;
      if (of === historyOf(position) && lsn >= wanted && performance.now() - at < FRESH_MS) return;
      await this.#answered(position, deadline);
      if (this.#replayed.of === historyOf(position) && this.#replayed.lsn >= wanted) return;
      const left = deadline - performance.now();
      if (left <= 0) throw new StandbyFailure('lagging', new Error(`it has not replayed ${position.lsn}`));
      await pause(Math.min(wait, left));
    }
  }

  async #answered(position: PrimaryPosition, deadline: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new StandbyFailure('silent', new Error('no answer yet'), false)), Math.max(deadline - performance.now(), 0));
    });
    try {
      await Promise.race([this.#ask(position), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Reads that wait share the question; replay only advances, so that an earlier question will do. */
  #ask(position: PrimaryPosition): Promise<void> {
    if (this.#question) return this.#question.answer;
    const at = performance.now();
    const answer = this.#questions.query<{ lsn: string }>(ASK, [position.identity, position.timeline]).then(
      ({ rows }) => {
        this.#replayed = { of: historyOf(position), lsn: lsnOf(rows[0]!.lsn), at };
        this.#question = null;
      },
      (error: unknown) => {
        this.#question = null;
        const failure = standbyFailure(error);
        this.#health.failed(failure);
        throw failure;
      },
    );
    answer.catch(() => undefined); // who asked may have stopped waiting
    this.#question = { at, answer };
    return answer;
  }

  /** A read may take long; a server that is gone silent meanwhile is noticed by asking it something else. */
  #watched<Result>(answer: Promise<Result>, position: PrimaryPosition): Promise<Result> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      let timer: NodeJS.Timeout | undefined;
      const look = (): void => {
        if (!isOver) timer = setTimeout(() => void this.#ask(position).then(look, reject), FRESH_MS);
      };
      const end = (): void => {
        isOver = true;
        clearTimeout(timer);
      };
      answer.then(resolve, reject).finally(end);
      look();
    });
  }
}

/** Places in the log compare within one history only. */
const historyOf = ({ identity, timeline }: PrimaryPosition): string => `${identity}/${timeline}`;
