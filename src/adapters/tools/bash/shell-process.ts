import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Account } from '../workspaces/accounts.js';
import { HeadAndTail } from './head-and-tail.js';
import { openPipe } from './pipe.js';

export interface ShellRun {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly account: Account | null;
  readonly timeoutMs: number;
  /** Characters of the output to keep. */
  readonly keep: number;
  /** Whoever prints more is stopped: reading on would take the processor from everybody else. */
  readonly floodBytes: number;
}

/** How a command ended: by itself, by a signal, or stopped by us. */
export type Ending =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'timeout' | 'flood' | 'interrupted' }
  | { readonly kind: 'unstartable'; readonly code: string };

export interface ShellOutcome {
  readonly ending: Ending;
  /** What it printed, both outputs as they came. */
  readonly text: string;
  readonly cut: boolean;
  /** Where the shell was at its end, as it said itself. Empty when it did not come to that. */
  readonly place: string;
}

/** Between being asked to stop and being made to. */
const STOP_MS = 1_000;

/** How long after the command's end something that has left its group may keep its output open. */
const LINGER_MS = 250;

const PLACE_BYTES = 8_192;

/**
 * Runs a program in a process group of its own. Its standard input is empty; file 3 is for where it ends up, and file 4 is a line that breaks when we are gone.
 * Whatever is left of the group when the program ends is killed. Never rejects.
 */
export async function runShell(run: ShellRun, watch: (output: HeadAndTail) => void, signal: AbortSignal): Promise<ShellOutcome> {
  const output = new HeadAndTail(run.keep);
  let place = Buffer.alloc(0);
  let child: ChildProcess;
  const outcome = (ending: Ending): ShellOutcome => ({ ending, ...output.end(), place: place.toString().replace(/\n$/, '') });
  const pipe = await openPipe().catch((error: unknown) => codeOf(error));
  if (typeof pipe === 'string') return outcome({ kind: 'unstartable', code: pipe });
  try {
    const stdio = ['ignore', pipe.writer, pipe.writer, 'pipe', 'pipe'] as const;
    child = spawn(run.file, run.args, { cwd: '/', env: run.environment, detached: true, stdio: [...stdio], ...run.account });
  } catch (error) {
    pipe.reader.destroy();
    return outcome({ kind: 'unstartable', code: codeOf(error) });
  } finally {
    closeSync(pipe.writer);
  }

  const said = child.stdio[3];
  for (const stream of [pipe.reader, ...child.stdio]) stream?.on('error', () => {});
  (said as NodeJS.ReadableStream | null)?.on('data', (chunk: Buffer) => {
    place = Buffer.concat([place, chunk]).subarray(-PLACE_BYTES);
  });
  const ending = await new Promise<Ending>((resolve) => {
    let how: Ending | null = null;
    /** The program's end, and that of both its ways to us. */
    let awaited = 3;
    const timers: NodeJS.Timeout[] = [];
    const part = (): void => {
      awaited -= 1;
      if (awaited === 0) finish();
    };
    const finish = (): void => {
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      resolve(how ?? { kind: 'interrupted' });
    };
    const stop = (kind: 'timeout' | 'flood' | 'interrupted'): void => {
      if (how) return;
      how = { kind };
      signalGroup(child, kind === 'flood' ? 'SIGKILL' : 'SIGTERM');
      timers.push(setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_MS));
    };
    const interrupt = (): void => stop('interrupted');
    timers.push(setTimeout(() => stop('timeout'), run.timeoutMs));
    signal.addEventListener('abort', interrupt, { once: true });

    child.once('error', (error) => {
      how ??= { kind: 'unstartable', code: codeOf(error) };
      if (child.pid === undefined) finish();
    });
    child.once('exit', (code, by) => {
      how ??= code === null ? { kind: 'signal', signal: by ?? 'a signal' } : { kind: 'exit', code };
      signalGroup(child, 'SIGKILL');
      timers.push(setTimeout(finish, LINGER_MS));
      part();
    });
    for (const stream of [pipe.reader, said]) stream?.once('close', part);

    let bytes = 0;
    pipe.reader.on('data', (chunk: Uint8Array) => {
      output.add(chunk);
      bytes += chunk.byteLength;
      if (bytes > run.floodBytes) stop('flood');
      watch(output);
    });
    if (signal.aborted) interrupt();
  });
  for (const stream of [pipe.reader, ...child.stdio]) stream?.destroy();
  return outcome(ending);
}

function signalGroup({ pid }: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // Nothing is left of the group.
  }
}

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown }).code ?? 'unknown');
