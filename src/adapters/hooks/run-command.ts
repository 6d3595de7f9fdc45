import { spawn, type ChildProcess } from 'node:child_process';
import { OutputBuffer } from '../../child-process/output-buffer.js';
import { type ProcessEnd, spawnFailed, supervise } from '../../child-process/supervise.js';

export interface CommandRun {
  /** For /bin/sh. */
  readonly command: string;
  /** What the command reads from its standard input. */
  readonly input: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
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
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Runs a shell command in a process group of its own, which is killed when the command exits. Never rejects. */
export async function runCommand({ command, input, directory, environment, timeoutMs, keep }: CommandRun, signal: AbortSignal): Promise<CommandOutcome> {
  const stdout = new OutputBuffer(keep);
  const stderr = new OutputBuffer(keep);
  const outcome = (end: ProcessEnd): CommandOutcome => ({ end, stdout: outputOf(stdout), stderr: outputOf(stderr) });
  let child: ChildProcess;
  try {
    child = spawn('/bin/sh', ['-c', command], { cwd: directory, env: environment, detached: true, stdio: 'pipe' });
  } catch (error) {
    return outcome(spawnFailed(error));
  }
  const outputs = [
    { stream: child.stdout, take: (chunk: Uint8Array) => stdout.add(chunk) },
    { stream: child.stderr, take: (chunk: Uint8Array) => stderr.add(chunk) },
  ];
  const ended = supervise(child, { timeoutMs, stopGraceMs: 0, maxOutputBytes: MAX_OUTPUT_BYTES, outputs }, signal);
  child.stdin?.end(input);
  return outcome(await ended);
}

function outputOf(buffer: OutputBuffer): Output {
  const { head, length } = buffer.end();
  return { text: head, length };
}
