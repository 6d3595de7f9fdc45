import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client } from './client.js';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** A server as a process of its own, to be killed. */
export class ServerProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    /** Everything it has printed. */
    private readonly output: { text: string },
  ) {}

  /** Resolves when it takes requests (a worker: when it takes turns). */
  static async start(environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
    const child = spawn(process.execPath, [MAIN], {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', RATE_LIMIT_PER_MINUTE: '1000000', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { text: '' };
    const url = await new Promise<string>((resolve, reject) => {
      const take = (chunk: Buffer): void => {
        output.text += chunk.toString();
        const found = /ready on (http:\/\/[^\s"]+)/.exec(output.text)?.[1];
        if (found !== undefined) resolve(found);
      };
      child.stdout?.on('data', take);
      child.stderr?.on('data', take);
      child.once('exit', (code, signal) => reject(new Error(`the server ended with ${code ?? signal} before it was ready:\n${output.text}`)));
    });
    return new ServerProcess(child, url, output);
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

  /** Resolves when it has printed that. */
  said(what: RegExp): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!what.test(this.output.text)) return;
        this.child.stdout?.off('data', look);
        resolve();
      };
      this.child.stdout?.on('data', look);
      look();
    });
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    await exited;
  }
}
