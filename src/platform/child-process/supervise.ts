import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { killGroup, signalGroup, trackGroup } from './process-group.js';

/** How a program ended: by itself, by a signal, stopped by the supervisor, or it could not be started. */
export type ProcessEnd =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'timeout' | 'output_limit' | 'aborted' }
  | { readonly kind: 'spawn_failed'; readonly code: string };

export interface Supervision {
  readonly timeoutMs: number;
  /** Milliseconds between SIGTERM and SIGKILL; 0 sends SIGKILL at once. */
  readonly stopGraceMs: number;
  /** Bytes of all outputs together. A program that prints more is killed: reading on would occupy the event loop. */
  readonly maxOutputBytes: number;
  readonly outputs: readonly Output[];
}

export interface Output {
  readonly stream: Readable | null;
  readonly take: (chunk: Uint8Array) => void;
}

/** How long after the exit a descendant outside of the group may keep an output open, in milliseconds. */
const LINGER_MS = 250;

/**
 * Reads the outputs of a child that was spawned with `detached: true`, enforces its limits, and resolves when it has ended and its outputs are drained. Whatever
 * is left of its process group is killed when it exits. Destroys every stream of the child. Never rejects.
 */
export function supervise(child: ChildProcess, { timeoutMs, stopGraceMs, maxOutputBytes, outputs }: Supervision, signal: AbortSignal): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    let end: ProcessEnd | null = null;
    let isFinished = false;
    /** The exit, and the close of each output. */
    let pending = 1 + outputs.length;
    const timers: NodeJS.Timeout[] = [];
    trackGroup(child);
    const finish = (): void => {
      if (isFinished) return;
      isFinished = true;
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      for (const stream of [...child.stdio, ...outputs.map((output) => output.stream)]) stream?.destroy();
      killGroup(child);
      resolve(end ?? { kind: 'aborted' });
    };
    const completeOne = (): void => {
      pending -= 1;
      if (pending === 0) finish();
    };
    const stop = (kind: 'timeout' | 'output_limit' | 'aborted'): void => {
      if (end) return;
      end = { kind };
      const isUrgent = kind === 'output_limit' || stopGraceMs === 0;
      signalGroup(child.pid, isUrgent ? 'SIGKILL' : 'SIGTERM');
      if (!isUrgent) timers.push(setTimeout(() => signalGroup(child.pid, 'SIGKILL'), stopGraceMs));
    };
    const abort = (): void => stop('aborted');
    timers.push(setTimeout(() => stop('timeout'), timeoutMs));
    signal.addEventListener('abort', abort, { once: true });

    child.once('error', (error) => {
      end ??= spawnFailed(error);
      if (child.pid === undefined) finish();
    });
    child.once('exit', (code, by) => {
      end ??= code === null ? { kind: 'signal', signal: by ?? 'a signal' } : { kind: 'exit', code };
      killGroup(child);
      timers.push(setTimeout(finish, LINGER_MS));
      completeOne();
    });

    let bytes = 0;
    for (const stream of child.stdio) stream?.on('error', () => {}); // a program need not read its input
    for (const { stream, take } of outputs) {
      stream?.on('error', () => {});
      stream?.once('close', completeOne);
      stream?.on('data', (chunk: Uint8Array) => {
        if (isFinished) return;
        take(chunk);
        bytes += chunk.byteLength;
        if (bytes > maxOutputBytes) stop('output_limit');
      });
    }
    if (signal.aborted) abort();
  });
}

export function spawnFailed(error: unknown): ProcessEnd {
  return { kind: 'spawn_failed', code: String((error as { readonly code?: unknown }).code ?? 'unknown') };
}
