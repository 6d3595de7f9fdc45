import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Workspace } from '../workspaces/workspaces.js';
import { ON_A_LIFELINE } from './script.js';

/** What stands between a command and the rest of the machine. */
export interface Sandbox {
  /** Its shell. */
  readonly shell: { readonly kind: 'bash' | 'sh'; readonly file: string };
  /** bubblewrap's program; null: an account of its own, or nothing at all, is all there is. */
  readonly bubblewrap: string | null;
  readonly network: boolean;
  /** Whether the number of processes is limited. */
  readonly countProcesses: boolean;
}

/** What the system consists of, and nothing of anybody's own. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix/store', '/run/current-system', '/run/systemd/resolve'];

/** Program and arguments that run `args` of the shell inside the walls. */
export function inside(
  { shell, bubblewrap, network }: Sandbox,
  { root, temporary, sharedMemory }: Workspace,
  args: readonly string[],
): readonly [string, ...string[]] {
  if (bubblewrap === null) return ['/bin/sh', '-c', ON_A_LIFELINE, 'sh', shell.file, ...args];
  return [
    bubblewrap,
    '--die-with-parent',
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network ? [] : ['--unshare-net']),
    ...SYSTEM.flatMap((folder) => ['--ro-bind-try', folder, folder]),
    ...['--proc', '/proc', '--dev', '/dev', '--bind', sharedMemory, '/dev/shm', '--remount-ro', '/dev'],
    ...['--bind', temporary, '/tmp', '--bind', root, root, '--remount-ro', '/', '--chdir', root],
    ...['--', shell.file, ...args],
  ];
}

/** A program of this machine by its name. */
export function find(name: string, search: string): string | null {
  const folders = search.split(':').filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file)) ?? null;
}

/** All that a command is told of where it runs: nothing of the server's own. */
export function environmentOf({ root, temporary }: Workspace, { shell, bubblewrap }: Sandbox, search: string): Readonly<Record<string, string>> {
  return { PATH: search, HOME: root, TMPDIR: bubblewrap === null ? temporary : '/tmp', SHELL: shell.file, LANG: 'C.UTF-8', TERM: 'dumb' };
}
