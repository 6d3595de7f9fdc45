import type { ChildProcess } from 'node:child_process';

const running = new Set<number>();

/** However this process ends, short of being killed outright, the groups end with it; then they find their standard input closed. */
function endAll(): void {
  for (const pid of running) signalGroup(pid, 'SIGKILL');
}

/** Sees to it that the child's group does not outlive this process. */
export function adoptGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (running.size === 0) process.once('exit', endAll);
  running.add(pid);
}

/** The child itself has ended; what it left behind in its group ends now. */
export function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined || !running.delete(pid)) return;
  signalGroup(pid, 'SIGKILL');
  if (running.size === 0) process.off('exit', endAll);
}

export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}
