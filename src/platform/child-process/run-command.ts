import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { OutputBuffer } from './output-buffer.js';
import { type ProcessEnd, spawnFailed, supervise } from './supervise.js';

/** A program with its arguments, and what it runs with. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Null: the account of this process. */
  readonly account: { readonly uid: number; readonly gid: number } | null;
}

export interface CommandTerms {
  /** What the program reads from its standard input. */
  readonly input: string;
  readonly timeoutMs: number;
  /** Characters to keep of each output. */
  readonly keep: number;
}

export interface Output {
  /** The beginning. */
  readonly text: string;
  /** Characters of the whole. */
  readonly length: number;
}

export interface CommandOutcome {
  readonly end: ProcessEnd;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Whether the program wrote to file 3. */
  readonly hasReported: boolean;
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Runs a program in a separate process group, which is killed when the program exits. Its file 4 is a pipe that closes when this process ends. Never rejects.
 */
export async function runCommand(program: Program, { input, timeoutMs, keep }: CommandTerms, signal: AbortSignal): Promise<CommandOutcome> {
  const stdout = new OutputBuffer(keep);
  const stderr = new OutputBuffer(keep);
  let hasReported = false;
  const outcome = (end: ProcessEnd): CommandOutcome => ({ end, stdout: outputOf(stdout), stderr: outputOf(stderr), hasReported });
  const { file, args, directory, environment, account } = program;
  let child: ChildProcess;
  try {
    child = spawn(file, args, { cwd: directory, env: environment, detached: true, stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'], ...account });
  } catch (error) {
    return outcome(spawnFailed(error));
  }
  const outputs = [
    { stream: child.stdout, take: (chunk: Uint8Array) => stdout.add(chunk) },
    { stream: child.stderr, take: (chunk: Uint8Array) => stderr.add(chunk) },
    { stream: child.stdio[3] as Readable | null, take: () => (hasReported = true) },
  ];
  const ended = supervise(child, { timeoutMs, stopGraceMs: 0, maxOutputBytes: MAX_OUTPUT_BYTES, outputs }, signal);
  child.stdin?.end(input);
  return outcome(await ended);
}

function outputOf(buffer: OutputBuffer): Output {
  const { head, length } = buffer.end();
  return { text: head, length };
}
