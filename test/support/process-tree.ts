import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Sends a signal to the process and every one that it has started. Those that have ended meanwhile are left out. */
export async function signalTree(pid: number, signal: NodeJS.Signals): Promise<void> {
  // The process first, so that it starts no others meanwhile; killed, it no longer has the others as children.
  const children = signal === 'SIGKILL' ? await childrenOf(pid) : null;
  send(pid, signal);
  for (const child of children ?? (await childrenOf(pid))) send(child, signal);
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout
    .split('\n')
    .map(Number)
    .filter((child) => child > 0);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
