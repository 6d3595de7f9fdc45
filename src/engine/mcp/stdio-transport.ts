import { type ChildProcess, spawn } from 'node:child_process';
import { inheritedEnvironment } from '../../platform/child-process/inherited-environment.js';
import { OutputBuffer } from '../../platform/child-process/output-buffer.js';
import { killGroup, signalGroup, trackGroup } from '../../platform/child-process/process-group.js';
import { deserializeMessage, type JSONRPCMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { MessageSizeGuard } from './message-size-guard.js';
import type { McpSettings, StdioServer } from './server.js';
import { withWrittenContent } from './written-content.js';

/** Between SIGTERM and SIGKILL, in milliseconds. */
const GRACE_MS = 1_000;

/** How long after the exit a descendant may keep the outputs open, in milliseconds. */
const LINGER_MS = 250;

/** The end of its standard error is kept, to explain why a server does not start. */
const STDERR_CHARACTERS = 500;

const NEW_LINE = 0x0a;

/** Runs a server in its own process group and exchanges messages with it, one per line. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  #child: ChildProcess | null = null;
  #ended: Promise<void> = Promise.resolve();
  #parts: Uint8Array[] = [];
  #length = 0;
  readonly #stderr = new OutputBuffer(0, STDERR_CHARACTERS);
  #failed = false;

  constructor(
    private readonly server: StdioServer,
    private readonly tenantId: string,
    private readonly settings: Pick<McpSettings, 'environment' | 'messageBytes'>,
  ) {}

  /** The end of its standard error. */
  get stderrTail(): string {
    return this.#stderr.tail.trim();
  }

  start(): Promise<void> {
    const { command, args, env } = this.server;
    const { environment, messageBytes } = this.settings;
    return new Promise((resolve, reject) => {
      const variables = { ...inheritedEnvironment(environment), ...env, VERBATIM_TENANT_ID: this.tenantId };
      const child = spawn(command, [...args], { env: variables, detached: true, stdio: 'pipe' });
      this.#child = child;
      trackGroup(child);
      const guard = new MessageSizeGuard(messageBytes, () => this.#fail(new Error('the server exceeds the message rate limit')));
      child.once('spawn', resolve);
      child.on('error', (error) => {
        reject(error);
        this.onerror?.(error);
      });
      this.#ended = new Promise((ended) => {
        child.once('close', () => {
          ended();
          killGroup(child);
          this.#child = null;
          this.onclose?.();
        });
        child.once('exit', () => {
          killGroup(child);
          setTimeout(() => destroyOutputs(child), LINGER_MS).unref();
        });
      });
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', (error) => this.onerror?.(error));
      child.stdout?.on('data', (chunk: Uint8Array) => {
        guard.count(0, chunk.byteLength);
        this.#readLines(chunk, guard);
      });
      child.stderr?.on('data', (chunk: Uint8Array) => {
        guard.count(0, chunk.byteLength);
        this.#stderr.add(chunk);
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const stdin = this.#child?.stdin;
      if (!stdin?.writable) return reject(new Error('the server has ended'));
      if (stdin.writableLength > this.settings.messageBytes) return reject(new Error('the server does not read its input'));
      return stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Closes its input and sends SIGTERM; SIGKILL follows when it does not end in time. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    child.stdin?.end();
    signalGroup(child.pid, 'SIGTERM');
    const killTimer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), GRACE_MS);
    await this.#ended;
    clearTimeout(killTimer);
  }

  #fail(error: Error): void {
    if (!this.#child || this.#failed) return;
    this.#failed = true;
    destroyOutputs(this.#child);
    signalGroup(this.#child.pid, 'SIGKILL');
    this.onerror?.(error);
  }

  #readLines(chunk: Uint8Array, guard: MessageSizeGuard): void {
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
    if (this.#length > this.settings.messageBytes) this.#fail(new Error('the server sends a message that is longer than the limit'));
  }

  /** Ignores lines that are not messages: many servers print a banner on standard output. */
  #deliver(line: string): void {
    if (line.trim() === '') return;
    try {
      this.onmessage?.(deserializeMessage(withWrittenContent(line)));
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }
}

function destroyOutputs(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
}
