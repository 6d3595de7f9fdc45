import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { withConnection } from '../connect.js';
import { endWhenIdle } from '../connection/setup-lock.js';
import { readMigrations } from './migration-files.js';
import { pendingOf, readRecords } from './migration-records.js';
import { finishOnline, ONLINE_LOCK } from './online-migration.js';

const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 600_000;

export interface OnlineOptions {
  readonly url: string;
  /** The folder that contains one folder per migration. */
  readonly directory: string;
  /** Milliseconds for the answer to one statement that is not a migration's. */
  readonly setupTimeoutMs: number;
  /** Receives a line per migration that is finished. */
  readonly log: (line: string) => void;
  /** Receives what failed and is tried again. */
  readonly report: (problem: string, error: unknown) => void;
  /** Milliseconds until the first repetition. */
  readonly pauseMs?: number;
}

/** Runs the online migrations that a start has left, beside the work of the server, in one process at a time. What fails is tried again. */
export class OnlineMigrations {
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #client: Client | null = null;

  constructor(private readonly options: OnlineOptions) {}

  start(): void {
    this.#running = this.#run();
  }

  /** A statement that runs is left to the server; who continues finds what it did. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#client?.connection.stream.destroy();
    await this.#running;
  }

  /** Whether none is left; false also when another process does it. */
  async round(): Promise<boolean> {
    const { url, directory, setupTimeoutMs, log } = this.options;
    const { signal } = this.#stopping;
    const migrations = await readMigrations(directory);
    const work = async (client: Client): Promise<boolean> => {
      this.#client = client;
      try {
        signal.throwIfAborted();
        const pending = pendingOf(migrations, await readRecords(client)).filter(({ online }) => online !== null);
        if (pending.length === 0) return true;
        const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [ONLINE_LOCK]);
        if (!rows[0]!.taken) return false;
        await endWhenIdle(client);
        for (const migration of pending) if (await finishOnline(client, migration, signal)) log(`Online migration ${migration.name} is finished.`);
        return true;
      } finally {
        this.#client = null;
      }
    };
    return withConnection(url, 0, work, { signal, setupTimeoutMs });
  }

  async #run(): Promise<void> {
    const { report, pauseMs = FIRST_PAUSE_MS } = this.options;
    const { signal } = this.#stopping;
    for (let wait = pauseMs; !signal.aborted; wait = Math.min(wait * 2, MAX_PAUSE_MS)) {
      try {
        if (await this.round()) return;
      } catch (error) {
        if (!signal.aborted) report('an online migration failed and is tried again', error);
      }
      await pause(wait, undefined, { signal }).catch(() => undefined);
    }
  }
}
