import { spawn, type ChildProcess } from 'node:child_process';
import { OutputBuffer } from './output-buffer.js';

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

/** How a command ended: by itself, by a signal, or stopped by us. */
export type Ending =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'timeout' | 'flood' | 'stopped' }
  | { readonly kind: 'unstartable'; readonly code: string };

export interface Output {
  /** The beginning. */
  readonly text: string;
  /** Characters of the whole. */
  readonly length: number;
}

export interface CommandOutcome {
  readonly ending: Ending;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** Whoever prints more than this is stopped: reading on would take the processor from everybody else. */
const FLOOD_BYTES = 16 * 1024 * 1024;

/** How long after the command's end something it left behind may keep its outputs open. */
const LINGER_MS = 250;

/** Runs a shell command in a process group of its own, so that whatever it started ends with it. Never rejects. */
export function runCommand(run: CommandRun, signal: AbortSignal): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const stdout = new OutputBuffer(run.keep);
    const stderr = new OutputBuffer(run.keep);
    const settle = (ending: Ending) => {
      const output = (capture: OutputBuffer): Output => ({ text: capture.end(), length: capture.length });
      resolve({ ending, stdout: output(stdout), stderr: output(stderr) });
    };
    let child: ChildProcess;
    try {
      child = spawn('/bin/sh', ['-c', run.command], { cwd: run.directory, env: run.environment, detached: true, stdio: 'pipe' });
    } catch (error) {
      return settle({ kind: 'unstartable', code: codeOf(error) });
    }

    let ending: Ending | null = null;
    let lingering: NodeJS.Timeout | undefined;
    let finished = false;
    const finish = () => {
      if (finished) return;
      finished = true;
      clearTimeout(timer);
      clearTimeout(lingering);
      signal.removeEventListener('abort', onAbort);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      settle(ending ?? { kind: 'stopped' });
    };
    const stop = (kind: 'timeout' | 'flood' | 'stopped') => {
      ending ??= { kind };
      killGroup(child);
    };
    const onAbort = () => stop('stopped');
    const timer = setTimeout(() => stop('timeout'), run.timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });

    child.once('error', (error) => {
      ending ??= { kind: 'unstartable', code: codeOf(error) };
      if (child.pid === undefined) finish();
    });
    child.once('exit', (code, by) => {
      ending ??= code === null ? { kind: 'signal', signal: by ?? 'a signal' } : { kind: 'exit', code };
      lingering = setTimeout(() => {
        killGroup(child);
        finish();
      }, LINGER_MS);
    });
    child.once('close', finish);

    let bytes = 0;
    for (const [stream, capture] of [
      [child.stdout, stdout],
      [child.stderr, stderr],
    ] as const) {
      stream?.on('error', () => {});
      stream?.on('data', (chunk: Uint8Array) => {
        if (finished) return;
        capture.add(chunk);
        bytes += chunk.byteLength;
        if (bytes > FLOOD_BYTES) stop('flood');
      });
    }
    child.stdin?.on('error', () => {}); // a hook need not read its input
    child.stdin?.end(run.input);
    if (signal.aborted) onAbort();
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown }).code ?? 'unknown');
