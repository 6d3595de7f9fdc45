import { type ChildProcess, spawn } from 'node:child_process';
import { deserializeMessage, type JSONRPCMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { MessageSizeGuard } from './message-size-guard.js';
import { adoptGroup, endGroup, signalGroup } from './process-groups.js';
import type { McpSettings, StdioServer } from './server.js';

/** What a server gets of our environment; keys and addresses in it are none of its business. */
const PASSED_ON = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'] as const;

/** How long a server may take to end by itself once its input is closed. */
const GRACE_MS = 1_000;

/** How long what it left behind may keep its outputs open. */
const LINGER_MS = 250;

/** Of what it writes to standard error, the end is kept: the last words of a server that does not start. */
const LAST_WORDS = 500;

const NEW_LINE = 0x0a;

/** Runs a server as a process group of its own and exchanges messages with it, one a line. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  #child: ChildProcess | null = null;
  #ended: Promise<void> = Promise.resolve();
  #parts: Uint8Array[] = [];
  #length = 0;
  #lastWords = '';
  #failed = false;

  constructor(
    private readonly server: StdioServer,
    private readonly tenantId: string,
    private readonly settings: Pick<McpSettings, 'environment' | 'messageBytes'>,
  ) {}

  /** What it said on standard error at last. */
  get lastWords(): string {
    return this.#lastWords.trim();
  }

  start(): Promise<void> {
    const { command, args, env } = this.server;
    const { environment, messageBytes } = this.settings;
    const passed = Object.fromEntries(PASSED_ON.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])));
    return new Promise((resolve, reject) => {
      const child = spawn(command, [...args], { env: { ...passed, ...env, VERBATIM_TENANT_ID: this.tenantId }, detached: true, stdio: 'pipe' });
      this.#child = child;
      adoptGroup(child);
      const guard = new MessageSizeGuard(messageBytes, () => this.#fail(new Error('the server sends too much')));
      child.once('spawn', resolve);
      child.on('error', (error) => {
        reject(error);
        this.onerror?.(error);
      });
      this.#ended = new Promise((ended) => {
        child.once('close', () => {
          ended();
          endGroup(child);
          this.#child = null;
          this.onclose?.();
        });
        child.once('exit', () => {
          endGroup(child);
          // Something it left behind may hold its outputs open.
          setTimeout(() => abandon(child), LINGER_MS).unref();
        });
      });
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', (error) => this.onerror?.(error));
      child.stdout?.on('data', (chunk: Uint8Array) => {
        guard.count(0, chunk.byteLength);
        this.#take(chunk, guard);
      });
      child.stderr?.on('data', (chunk: Uint8Array) => {
        guard.count(0, chunk.byteLength);
        this.#lastWords = `${this.#lastWords}${Buffer.from(chunk.subarray(-LAST_WORDS)).toString()}`.slice(-LAST_WORDS);
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const stdin = this.#child?.stdin;
      if (!stdin?.writable) return reject(new Error('the server has ended'));
      if (stdin.writableLength > this.settings.messageBytes) return reject(new Error('the server does not read what it is sent'));
      return stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Asks it to end, then ends it. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    child.stdin?.end();
    signalGroup(child.pid, 'SIGTERM');
    const impatience = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), GRACE_MS);
    await this.#ended;
    clearTimeout(impatience);
  }

  #fail(error: Error): void {
    if (!this.#child || this.#failed) return;
    this.#failed = true;
    abandon(this.#child);
    signalGroup(this.#child.pid, 'SIGKILL');
    this.onerror?.(error);
  }

  #take(chunk: Uint8Array, guard: MessageSizeGuard): void {
    let rest = chunk;
    for (let end = rest.indexOf(NEW_LINE); end !== -1; end = rest.indexOf(NEW_LINE)) {
      const line = Buffer.concat([...this.#parts, rest.subarray(0, end)]).toString();
      this.#parts = [];
      this.#length = 0;
      rest = rest.subarray(end + 1);
      guard.count(1, 0);
      if (this.#failed) return;
      this.#deliver(line);
    }
    if (rest.byteLength === 0) return;
    this.#parts.push(rest);
    this.#length += rest.byteLength;
    if (this.#length > this.settings.messageBytes) this.#fail(new Error('the server sends a message that is too long'));
  }

  /** Lines that are no message are passed over: many a server says hello on standard output. */
  #deliver(line: string): void {
    if (line.trim() === '') return;
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }
}

function abandon(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
}
