export interface ShellLimits {
  /** Megabytes of writable memory of one process. */
  readonly memoryMb: number;
  /** Concurrent processes; null where the account is shared, so that they cannot be counted. */
  readonly processes: number | null;
  /** Size limit of a file in megabytes. */
  readonly fileMb: number;
}

/**
 * Runs a program with its arguments, and kills the whole group when file 4 closes, which happens when the server ends. The watcher and the program are siblings,
 * so that neither waits for the other.
 */
export const WITH_SERVER_WATCH = [
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
 * The script of a command: sets the limits, runs `$2` in the folder `$1`, and writes its last working folder to file 3.
 *
 * The memory limit is RLIMIT_DATA. RLIMIT_AS would break every runtime that reserves much address space and uses little of it.
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
