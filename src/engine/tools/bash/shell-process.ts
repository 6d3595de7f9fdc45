import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Program } from '../../../platform/child-process/run-command.js';
import { type ProcessEnd, spawnFailed, supervise } from '../../../platform/child-process/supervise.js';
import { openPipe } from './pipe.js';
import { ShellOutput } from './shell-output.js';

export interface ShellRun extends Program {
  readonly timeoutMs: number;
  /** Characters of the output to keep. */
  readonly keep: number;
  readonly maxOutputBytes: number;
}

export interface ShellOutcome {
  readonly end: ProcessEnd;
  /** Both outputs, interleaved as they were written. */
  readonly text: string;
  readonly isTruncated: boolean;
  /** The working folder at the end, as the shell reported it. Empty when it did not get that far. */
  readonly workingFolder: string;
}

/** Between SIGTERM and SIGKILL, in milliseconds. */
const STOP_GRACE_MS = 1_000;

/** Longer than any path. */
const WORKING_FOLDER_BYTES = 8_192;

/**
 * Runs a program in its own process group. Its standard input is empty, file 3 receives its last working folder, and file 4 is a pipe that closes when this
 * process ends. What is left of the group when the program exits is killed. Never rejects.
 */
export async function runShell(run: ShellRun, onOutput: (output: ShellOutput) => void, signal: AbortSignal): Promise<ShellOutcome> {
  const output = new ShellOutput(run.keep);
  let reported = Buffer.alloc(0);
  let child: ChildProcess;
  const outcome = (end: ProcessEnd): ShellOutcome => ({ end, ...output.end(), workingFolder: reported.toString().replace(/\n$/, '') });
  const pipe = await openPipe().catch(spawnFailed);
  if ('kind' in pipe) return outcome(pipe);
  try {
    const stdio = ['ignore', pipe.writer, pipe.writer, 'pipe', 'pipe'] as const;
    child = spawn(run.file, run.args, { cwd: run.directory, env: run.environment, detached: true, stdio: [...stdio], ...run.account });
  } catch (error) {
    pipe.reader.destroy();
    return outcome(spawnFailed(error));
  } finally {
    closeSync(pipe.writer);
  }
  const outputs = [
    {
      stream: pipe.reader,
      take: (chunk: Uint8Array) => {
        output.add(chunk);
        onOutput(output);
      },
    },
    {
      stream: child.stdio[3] as Readable | null,
      take: (chunk: Uint8Array) => {
        reported = Buffer.concat([reported, chunk]).subarray(-WORKING_FOLDER_BYTES);
      },
    },
  ];
  const { timeoutMs, maxOutputBytes } = run;
  return outcome(await supervise(child, { timeoutMs, stopGraceMs: STOP_GRACE_MS, maxOutputBytes, outputs }, signal));
}
