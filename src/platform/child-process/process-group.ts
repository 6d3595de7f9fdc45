import type { ChildProcess } from 'node:child_process';

const tracked = new Set<number>();

/** SIGKILL cannot be caught, so programs must also end when their standard input or another inherited pipe closes. */
function killAll(): void {
  for (const pid of tracked) signalGroup(pid, 'SIGKILL');
}

/** Kills the process group of a detached child when this process exits. */
export function trackGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (tracked.size === 0) process.once('exit', killAll);
  tracked.add(pid);
}

/** To be called when the child has exited: kills what is left of its group, once. Later the number may belong to another group. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined || !tracked.delete(pid)) return;
  signalGroup(pid, 'SIGKILL');
  if (tracked.size === 0) process.off('exit', killAll);
}

/** Signals a process group; does nothing when it no longer exists. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}
