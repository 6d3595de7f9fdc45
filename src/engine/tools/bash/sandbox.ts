import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ReadOnlyFolder } from '../../../ports/index.js';
import type { Account } from '../workspaces/accounts.js';
import type { Workspace } from '../workspaces/workspaces.js';
import { WITH_SERVER_WATCH } from './script.js';

/** How commands are isolated from the rest of the machine. */
export interface Sandbox {
  readonly shell: { readonly kind: 'bash' | 'sh'; readonly file: string };
  /** The program of bubblewrap; null: commands are isolated by a separate account, or not at all. */
  readonly bubblewrap: string | null;
  /** Whether bubblewrap forbids further user namespaces, which widen the attack surface of the kernel. Older versions cannot. */
  readonly disableUserNamespaces: boolean;
  readonly network: boolean;
  /** Whether the number of processes is limited. */
  readonly countProcesses: boolean;
}

/** The operating system, without any data of users. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix/store', '/run/current-system', '/run/systemd/resolve'];

/** Program and arguments that run `args` of the shell inside the sandbox. `folders` are visible only with bubblewrap. */
export function sandboxed(
  { shell, bubblewrap, disableUserNamespaces, network }: Sandbox,
  { root, temporary, sharedMemory }: Workspace,
  folders: readonly ReadOnlyFolder[],
  args: readonly string[],
): readonly [string, ...string[]] {
  if (bubblewrap === null) return ['/bin/sh', '-c', WITH_SERVER_WATCH, 'sh', shell.file, ...args];
  return [
    bubblewrap,
    '--die-with-parent',
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(disableUserNamespaces ? ['--disable-userns'] : []),
    ...(network ? [] : ['--unshare-net']),
    ...SYSTEM.flatMap((folder) => ['--ro-bind-try', folder, folder]),
    ...['--proc', '/proc', '--dev', '/dev', '--bind', sharedMemory, '/dev/shm', '--remount-ro', '/dev', '--bind', temporary, '/tmp'],
    // After /tmp, where they may be.
    ...folders.flatMap(({ directory, path: visible }) => ['--ro-bind-try', directory, visible]),
    ...['--bind', root, root, '--remount-ro', '/', '--chdir', root],
    ...['--', shell.file, ...args],
  ];
}

/** The file of a program, looked for in `search` as in PATH. */
export function findProgram(name: string, search: string): string | null {
  const folders = search.split(':').filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file)) ?? null;
}

/** Whether a command of the sandbox cannot reach what is the server's. */
export const isIsolated = ({ bubblewrap }: Pick<Sandbox, 'bubblewrap'>, account: Account | null): boolean => bubblewrap !== null || account !== null;

/**
 * Git runs programs that the configuration of a repository names. These it does not: so that commands of the server's, which people did not allow, run less of
 * what the model wrote. Filters and the like remain: only the sandbox is a boundary.
 */
const CAREFUL_GIT = { 'core.fsmonitor': 'false', 'core.hooksPath': '/dev/null', 'core.pager': 'cat' };

export const GIT_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries([
  ['GIT_CONFIG_COUNT', String(Object.keys(CAREFUL_GIT).length)],
  ['GIT_CONFIG_GLOBAL', '/dev/null'],
  ...Object.entries(CAREFUL_GIT).flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]),
]);

/** The whole environment of a command; nothing of the server's own. */
export function environmentOf({ root, temporary }: Workspace, { shell, bubblewrap }: Sandbox, search: string): Readonly<Record<string, string>> {
  return { PATH: search, HOME: root, TMPDIR: bubblewrap === null ? temporary : '/tmp', SHELL: shell.file, LANG: 'C.UTF-8', TERM: 'dumb' };
}
