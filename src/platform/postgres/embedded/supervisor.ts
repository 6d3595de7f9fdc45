import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError, errorText } from '../database-error.js';
import type { Account } from './account.js';
import type { Binaries } from './binaries.js';
import { freePort, lastPort } from './port.js';
import { isAlive } from './processes.js';
import { findServer, isOwnerAlive, launch, ownerMark, POLL_MS, type Server, stopServer } from './server.js';

const WATCH_MS = 200;
const RESTART_TIMEOUT_MS = 60_000;
const MAX_PAUSE_MS = 2_000;

/** What Postgres reports during a concurrent start, or while processes of a killed server are still exiting. */
const TRANSIENT = /lock file "postmaster\.pid"|pre-existing shared memory block|is another postmaster|Address already in use/;

export interface SupervisorOptions {
  readonly binaries: Binaries;
  readonly account: Account;
  readonly dataDirectory: string;
  readonly volatile: boolean;
  readonly deleteOnExit: string | undefined;
  readonly log: (line: string) => void;
  readonly onRestart: (() => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Keeps one server running on a data directory while this process needs it. Concurrent processes need no lock of their own: Postgres allows one server per
 * directory, and the second process finds the first one's.
 */
export class Supervisor {
  current: Server | undefined;
  readonly owner = ownerMark(randomUUID());
  private readonly stopping = new AbortController();
  private watching: Promise<void> = Promise.resolve();

  constructor(private readonly options: SupervisorOptions) {}

  /** Finds or starts the server; throws a DatabaseError after `deadline` (epoch milliseconds). */
  async ensure(deadline: number, port?: number): Promise<Server> {
    const { binaries, account, dataDirectory } = this.options;
    let reason = 'the previous server did not stop';
    while (Date.now() < deadline) {
      this.options.signal?.throwIfAborted();
      const server = await findServer(dataDirectory);
      if (server === undefined) {
        const owner = await this.owner;
        const chosen = port ?? (await freePort(await lastPort(dataDirectory)));
        const failure = await launch(binaries, account, { ...this.options, port: chosen, owner, deadline });
        if (failure === undefined) continue;
        reason = failure;
        if (!TRANSIENT.test(failure)) break;
        await pause(5 * POLL_MS);
      } else if (!(await isOwnerAlive(server))) {
        await stopServer(server); // orphaned: its watcher is stopping it, or was killed too
      } else if (server.ready) {
        return (this.current = server);
      } else {
        await pause(POLL_MS);
      }
    }
    throw new DatabaseError('embedded_not_started', `The embedded Postgres in ${dataDirectory} did not start: ${reason}`);
  }

  /** Restarts a server that exits, on the same port, until `stop`. */
  watch(server: Server): void {
    this.watching = this.keepAlive(server);
  }

  /** Bounded: see `stopServer`. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.watching;
    const server = await findServer(this.options.dataDirectory);
    if (server !== undefined && server.owner === (await this.owner)) {
      await stopServer(server);
    }
    this.current = undefined;
  }

  private async keepAlive(first: Server): Promise<void> {
    const { log, onRestart } = this.options;
    let wait = WATCH_MS;
    const { signal } = this.stopping;
    for (;;) {
      await pause(wait, undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        if (this.current && (await isAlive(this.current.pid))) continue;
        log('Postgres exited; restarting it on the same port');
        const restarted = await this.ensure(Date.now() + RESTART_TIMEOUT_MS, first.port);
        if (restarted.port !== first.port) log(`Postgres runs on port ${restarted.port} now instead of ${first.port}: restart this process`);
        wait = WATCH_MS;
        onRestart?.();
      } catch (error) {
        log(errorText(error));
        wait = Math.min(wait * 2, MAX_PAUSE_MS);
      }
    }
  }
}
