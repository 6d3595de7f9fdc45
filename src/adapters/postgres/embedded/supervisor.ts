import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError, errorText } from '../database-error.js';
import type { Account } from './account.js';
import type { Binaries } from './binaries.js';
import { freePort, lastPort } from './port.js';
import { isAlive } from './processes.js';
import { findServer, launch, ownerLives, ownerMark, POLL_MS, requestStop, type Server } from './server.js';

const WATCH_MS = 200;
const RESTART_TIMEOUT_MS = 60_000;
const LONGEST_PAUSE_MS = 2_000;

/** What Postgres says when another start was faster, or when processes of a killed server are still on their way out. */
const TRY_AGAIN = /lock file "postmaster\.pid"|pre-existing shared memory block|is another postmaster|Address already in use/;

export interface SupervisorOptions {
  readonly binaries: Binaries;
  readonly account: Account;
  readonly dataDirectory: string;
  readonly volatile: boolean;
  readonly deleteWithUs: string | undefined;
  readonly log: (line: string) => void;
  readonly onRestart: (() => void) | undefined;
}

/**
 * Keeps one server running on a data directory for as long as this process needs it.
 * Two processes need no lock between them: Postgres itself lets only one server onto a directory, and the one that
 * comes second finds the first.
 */
export class Supervisor {
  current: Server | undefined;
  readonly owner = ownerMark(randomUUID());
  private readonly stopping = new AbortController();
  private watching: Promise<void> = Promise.resolve();

  constructor(private readonly options: SupervisorOptions) {}

  /** The server, found or started; throws a DatabaseError after `deadline` (epoch milliseconds). */
  async ensure(deadline: number, port?: number): Promise<Server> {
    const { binaries, account, dataDirectory } = this.options;
    let reason = 'the previous server does not end';
    while (Date.now() < deadline) {
      const server = await findServer(dataDirectory);
      if (server === undefined) {
        const owner = await this.owner;
        const chosen = port ?? (await freePort(await lastPort(dataDirectory)));
        const failure = await launch(binaries, account, { ...this.options, port: chosen, owner, deadline });
        if (failure === undefined) continue;
        reason = failure;
        if (!TRY_AGAIN.test(failure)) break;
        await pause(5 * POLL_MS);
      } else if (!(await ownerLives(server))) {
        requestStop(server); // its watcher is about to, or was killed too; nobody may attach to a dying server
        await pause(POLL_MS);
      } else if (server.ready) {
        return (this.current = server);
      } else {
        await pause(POLL_MS);
      }
    }
    throw new DatabaseError('embedded_not_started', `The embedded Postgres in ${dataDirectory} did not start: ${reason}`);
  }

  /** From now on a server that dies is started again on the same port, until `stop`. */
  watch(server: Server): void {
    this.watching = this.keepAlive(server);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.watching;
    const server = await findServer(this.options.dataDirectory);
    if (server !== undefined && server.owner === (await this.owner)) {
      requestStop(server);
      while (await isAlive(server.pid)) await pause(POLL_MS);
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
        log('Postgres ended; starting it again on the same port');
        const restarted = await this.ensure(Date.now() + RESTART_TIMEOUT_MS, first.port);
        if (restarted.port !== first.port) log(`Postgres came back on port ${restarted.port} instead of ${first.port}: restart this process`);
        wait = WATCH_MS;
        onRestart?.();
      } catch (error) {
        log(errorText(error));
        wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
      }
    }
  }
}
