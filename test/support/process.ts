import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Client } from './client.js';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** How a process ended: its code, or the signal that ended it. */
export type Exit = number | NodeJS.Signals;

/** A server in a separate process. */
export class ServerProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    /** Its output so far. */
    private readonly output: { text: string },
    /** Resolves when it has ended. */
    readonly exited: Promise<Exit>,
  ) {}

  /**
   * Resolves when it accepts requests (a worker: turns). `onSpawn` gets the process at once, so that a test can end it during its start. `main`: the main file
   * of another build. `account`: the user and group it runs as, where the test is root.
   */
  static async start(
    environment: Readonly<Record<string, string>>,
    onSpawn: (child: ChildProcess) => void = () => undefined,
    main: string = MAIN,
    account: { readonly uid?: number; readonly gid?: number } = {},
  ): Promise<ServerProcess> {
    const child = spawn(process.execPath, ['--enable-source-maps', main], {
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        PORT: '0',
        SHUTDOWN_LINGER_MS: '1',
        RATE_LIMIT_PER_MINUTE: '1000000',
        CURRENT_DATE: 'false',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...account,
    });
    onSpawn(child);
    const output = { text: '' };
    const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal ?? -1)));
    const url = await new Promise<string>((resolve, reject) => {
      const take = (chunk: Buffer): void => {
        output.text += chunk.toString();
        const found = /ready on (http:\/\/[^\s"]+)[\s"]/.exec(output.text)?.[1]; // whole: a chunk may end inside of the address
        if (found !== undefined) resolve(found);
      };
      child.stdout?.on('data', take);
      child.stderr?.on('data', take);
      child.once('close', (code, signal) => reject(new Error(`the server ended with ${code ?? signal} before it was ready:\n${output.text}`)));
    });
    return new ServerProcess(child, url, output, exited);
  }

  get pid(): number {
    return this.child.pid!;
  }

  client(token: string): Client {
    return new Client(this.url, token);
  }

  printed(): string {
    return this.output.text;
  }

  /** Resolves when its output matches. */
  said(what: RegExp): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!what.test(this.output.text)) return;
        this.child.stdout?.off('data', look);
        this.child.stderr?.off('data', look);
        resolve();
      };
      this.child.stdout?.on('data', look);
      this.child.stderr?.on('data', look);
      look();
    });
  }

  kill(): Promise<Exit> {
    return this.#end('SIGKILL');
  }

  /** Sends SIGTERM; resolves to the exit code or signal. */
  stop(): Promise<Exit> {
    return this.#end('SIGTERM');
  }

  /** Sends a signal without waiting. */
  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<Exit> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    return this.exited;
  }
}
