import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { type Exit, ServerProcess } from '../../support/process.js';
import type { Surroundings } from './surroundings.js';

export type Role = 'all' | 'api' | 'worker';

/** A start may fail because something it needs is faulty at the same time; it is repeated for this long, as a supervisor would. */
const START_MS = 180_000;

export interface PlaceOptions {
  readonly role: Role;
  readonly surroundings: Surroundings | null;
  /** `start`: how many starts there were before. */
  readonly environment: (start: number) => Readonly<Record<string, string>>;
  /** Receives the report of a process that ended without being killed or stopped. */
  readonly onAccident: (report: string) => void;
}

/** One process of a deployment, restarted each time it has ended. */
export class Place {
  server: ServerProcess | null = null;
  /** The main file of the build that the next start runs; undefined: the build under test. */
  build: string | undefined;
  readonly role: Role;
  readonly surroundings: Surroundings | null;
  /** Every address it has had. */
  readonly urls: string[] = [];
  #child: ChildProcess | null = null;
  #starting: Promise<void> = Promise.resolve();
  #over = false;
  #starts = 0;

  constructor(private readonly options: PlaceOptions) {
    this.role = options.role;
    this.surroundings = options.surroundings;
  }

  /** The address that clients use; the last one while none is running. */
  get url(): string {
    const direct = this.urls.at(-1) ?? 'http://127.0.0.1';
    return this.surroundings ? new URL(this.surroundings.clients.url(direct)).origin : direct;
  }

  /** Resolves when it is ready. */
  start(): Promise<void> {
    return (this.#starting = this.#start());
  }

  /** Resolves when the start that is under way, if any, is complete. */
  started(): Promise<void> {
    return this.#starting;
  }

  /** Kills the process without warning and starts another in the background. False: none is running. */
  async kill(): Promise<boolean> {
    const { server } = this;
    if (server === null) return false;
    this.server = null;
    await server.kill();
    this.#restart();
    return true;
  }

  /** Kills a process that is starting; its start is repeated. False: none is starting. */
  killStart(): boolean {
    return this.#child?.kill('SIGKILL') ?? false;
  }

  /** Stops the process with SIGTERM and starts another, of that build, in the background. False: there was none. */
  replace(build: string | undefined): boolean {
    const { server } = this;
    if (server === null) return false;
    this.server = null;
    this.build = build;
    this.#starting = server.stop().then((exit) => {
      if (exit !== 0) this.options.onAccident(`a ${this.role} that was stopped ended with ${exit}:\n${server.printed().slice(-4_000)}`);
      return this.#start();
    });
    this.#starting.catch(() => undefined);
    return true;
  }

  /** Stops the process for good; resolves to how it ended, null when there is none. */
  async stop(): Promise<Exit | null> {
    this.#over = true;
    await this.#starting;
    return this.server?.stop() ?? null;
  }

  #restart(): void {
    void this.start().catch(() => undefined); // `started` rejects
  }

  async #start(): Promise<void> {
    const deadline = performance.now() + START_MS;
    for (;;) {
      try {
        const server = await ServerProcess.start(this.options.environment(this.#starts++), (child) => (this.#child = child), this.build);
        this.#child = null;
        this.urls.push(server.url);
        this.surroundings?.clients.aim(server.url);
        this.server = server;
        void server.exited.then((exit) => this.#ended(server, exit));
        return;
      } catch (error) {
        this.#child = null;
        if (this.#over || performance.now() > deadline) throw error;
        await pause(50);
      }
    }
  }

  #ended(server: ServerProcess, exit: Exit): void {
    if (this.server !== server || this.#over) return;
    this.options.onAccident(`a ${this.role} ended unexpectedly with ${exit}:\n${server.printed().slice(-4_000)}`);
    this.server = null;
    this.#restart();
  }
}
