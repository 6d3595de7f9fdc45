export interface ShellLimits {
  /** Megabytes of memory that one process may have of its own. */
  readonly memoryMb: number;
  /** Processes at a time; null where they cannot be told from somebody else's. */
  readonly processes: number | null;
  /** Megabytes that one file may have. */
  readonly fileMb: number;
}

/**
 * Runs a program with its arguments, and kills the whole group when file 4 breaks, which it does when the server is gone. The program is no child of the one that
 * watches, nor the other way round, so that neither waits for the other.
 */
export const ON_A_LIFELINE = [
  "trap ':' TERM",
  'exec 5>&2 2>/dev/null',
  '( read -r _ <&4; kill -s KILL -- -$$ ) >/dev/null 3>&- 5>&- &',
  'watcher=$!',
  '( exec "$@" 2>&5 5>&- )',
  'code=$?',
  'kill -s KILL $watcher; wait $watcher',
  'exit $code',
].join('\n');

/**
 * What a shell runs: the limits, then `$2` in the folder `$1`, and at its end where it is now.
 *
 * The memory limit counts what a process may write to (RLIMIT_DATA). That of the address space would stop every runtime that reserves much and uses little.
 */
export function script({ memoryMb, processes, fileMb }: ShellLimits, shell: 'bash' | 'sh'): string {
  const fileBlocks = fileMb * (shell === 'bash' ? 1_024 : 2_048);
  return [
    'ulimit -c 0 && ulimit -d ' + memoryMb * 1_024 + ` && ulimit -f ${fileBlocks} || exit 126`,
    ...(processes === null ? [] : [`ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} || exit 126`]),
    'umask 022',
    'exec 4<&-',
    'cd -- "$1" 2>/dev/null || cd || exit 126',
    "trap 'pwd -P >&3 2>/dev/null' EXIT",
    'eval "set --',
    '$2"',
  ].join('\n');
}
