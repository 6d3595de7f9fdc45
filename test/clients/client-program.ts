import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Need } from '../support/needs.js';

/** The folder in the sources: compiled, this file lies in dist/test/clients. */
const FOLDER = fileURLToPath(new URL('../../../test/clients/', import.meta.url));

export const STOCK_CLIENTS: Need = {
  isMet: existsSync(`${FOLDER}node_modules/.package-lock.json`),
  remedy: 'npm ci --prefix test/clients --ignore-scripts',
};

export interface Outcome {
  readonly result?: unknown;
  /** As the client throws it. */
  readonly error?: { readonly name: string; readonly status: number | null; readonly message: string };
}

/** A client in a process of its own, with the packages of test/clients, which runs one scenario after another. */
export class ClientProgram {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  #errors = '';

  constructor(name: string, environment: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [`${FOLDER}programs/${name}.mjs`], { env: { PATH: process.env['PATH'], ...environment } });
    this.#child.stderr!.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()));
    this.#reader = createInterface({ input: this.#child.stdout! });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  async run(scenario: string, argument: unknown): Promise<Outcome> {
    this.#child.stdin!.write(`${JSON.stringify({ scenario, argument })}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`the client has ended:\n${this.#errors}`);
    return JSON.parse(value) as Outcome;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.stdin!.end();
    await exited;
  }
}

/** The binary that the package of the Agent SDK brings, which is that of Claude Code. */
export const CLAUDE = `${FOLDER}node_modules/@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`;
