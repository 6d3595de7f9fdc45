import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { CHROMIUM_FILE } from './needs.js';

interface Reply {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** A headless Chromium with one page, driven over the DevTools protocol through a pipe, which needs no further package. */
export class Chromium {
  readonly #waiting = new Map<number, { resolve: (result: Record<string, unknown>) => void; reject: (error: Error) => void }>();
  #session: string | undefined;
  #last = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly profile: string,
    private readonly input: Writable,
    output: Readable,
  ) {
    let rest = '';
    output.setEncoding('utf8').on('data', (text: string) => {
      const messages = (rest + text).split('\0');
      rest = messages.pop() ?? '';
      for (const message of messages) this.#take(JSON.parse(message) as Reply);
    });
  }

  static async start(): Promise<Chromium> {
    const profile = await mkdtemp(path.join(tmpdir(), 'verbatim-chromium-'));
    const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--remote-debugging-pipe'];
    const child = spawn(CHROMIUM_FILE!, [...flags, `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    const chromium = new Chromium(child, profile, child.stdio[3] as Writable, child.stdio[4] as Readable);
    const { targetId } = await chromium.#send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await chromium.#send('Target.attachToTarget', { targetId, flatten: true });
    chromium.#session = sessionId as string;
    await chromium.#send('Page.enable', {});
    return chromium;
  }

  async open(url: string): Promise<void> {
    await this.#send('Page.navigate', { url });
  }

  /** Resolves when the new document is there: the command is answered before the old one has gone. */
  async reload(): Promise<void> {
    await this.value('globalThis.isOld = true');
    await this.#send('Page.reload', {});
    await this.until('!globalThis.isOld');
  }

  /** Clicks the element of an expression as soon as there is one; in one step, so that it cannot be replaced in between. */
  async click(element: string): Promise<void> {
    await this.until(`(${element}).click() === undefined`);
  }

  /** The value of an expression in the page, which may be a promise. */
  async value<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = (await this.#send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })) as {
      readonly result: { readonly value: T; readonly description?: string };
      readonly exceptionDetails?: object;
    };
    if (exceptionDetails) throw new Error(`${expression}: ${result.description ?? JSON.stringify(exceptionDetails)}`);
    return result.value;
  }

  /** Resolves when the expression is true in the page. A page that is loading has no elements yet. */
  async until(expression: string): Promise<void> {
    while (!(await this.value<boolean>(`(() => { try { return Boolean(${expression}); } catch { return false; } })()`).catch(() => false)))
      await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async stop(): Promise<void> {
    const ended = this.child.exitCode === null && this.child.signalCode === null ? new Promise((done) => this.child.once('exit', done)) : undefined;
    this.child.kill('SIGKILL');
    await ended;
    await rm(this.profile, { recursive: true, force: true, maxRetries: 10 });
  }

  #send(method: string, params: object): Promise<Record<string, unknown>> {
    const id = (this.#last += 1);
    const target = this.#session === undefined ? {} : { sessionId: this.#session };
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.input.write(`${JSON.stringify({ id, method, params, ...target })}\0`);
    });
  }

  #take({ id, result = {}, error }: Reply): void {
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || !waiting) return;
    this.#waiting.delete(id);
    if (error) waiting.reject(new Error(error.message));
    else waiting.resolve(result);
  }
}
