import { spawn } from 'node:child_process';
import { KeyedMutex } from '../../../core/async/keyed-mutex.js';
import type { ProcessEnd } from '../../../child-process/supervise.js';
import type { Account } from '../workspaces/accounts.js';
import { lastWorkingFolder, type ReadOnlyFolders, saveWorkingFolder, type Workspaces } from '../workspaces/workspaces.js';
import { environmentOf, type Sandbox, sandboxed } from './sandbox.js';
import { script } from './script.js';
import type { ShellOutput } from './shell-output.js';
import { runShell } from './shell-process.js';

export interface ShellSettings {
  /** Where programs are looked for, as in PATH. */
  readonly search: string;
  /** Characters of output that are kept. */
  readonly outputCharacters: number;
  readonly maxOutputMb: number;
  readonly memoryMb: number;
  readonly processes: number;
  readonly fileMb: number;
}

export interface ShellResult {
  readonly end: ProcessEnd;
  readonly text: string;
  readonly isTruncated: boolean;
  /** Set when the shell ended outside of the session's folder: where it was, and where the next command starts. */
  readonly resetFolder: { readonly from: string; readonly to: string } | null;
}

export interface ShellSession {
  readonly tenantId: string;
  readonly sessionId: string;
}

/** The shells of sessions. Commands of one session run one after the other, each in the working folder of the one before, and leave no process running. */
export class Shell {
  readonly #mutex = new KeyedMutex();

  constructor(
    private readonly settings: ShellSettings,
    private readonly sandbox: Sandbox,
    private readonly workspaces: Workspaces,
    /** What commands of a tenant see besides their own folder. */
    private readonly folders: ReadOnlyFolders = () => Promise.resolve([]),
  ) {}

  /** `timeoutMs` counts from the start of the command, not of the wait for its turn. Rejects when the session's folder cannot be made. */
  async run(
    { tenantId, sessionId }: ShellSession,
    command: string,
    timeoutMs: number,
    onOutput: (output: ShellOutput) => void,
    signal: AbortSignal,
  ): Promise<ShellResult> {
    const session = `${tenantId}/${sessionId}`;
    const { perSession } = this.workspaces.accounts;
    // Sessions that share an account by a hash collision must not run concurrently: the sweep kills every process of the account.
    const key = perSession ? String(this.workspaces.accounts.of(session)?.uid) : session;
    const result = await this.#mutex.runUnlessAborted(key, signal, async () => {
      const workspace = await this.workspaces.of(tenantId, sessionId);
      const { account } = workspace;
      const { memoryMb, processes, fileMb, search, outputCharacters, maxOutputMb } = this.settings;
      const { shell, bubblewrap, countProcesses } = this.sandbox;
      const text = script({ memoryMb, processes: countProcesses ? processes : null, fileMb }, shell.kind);
      const folders = bubblewrap === null ? [] : await this.folders(tenantId);
      const [file, ...args] = sandboxed(this.sandbox, workspace, folders, ['-c', text, shell.kind, await lastWorkingFolder(workspace), command]);
      const environment = environmentOf(workspace, this.sandbox, search);
      const { end, workingFolder, ...output } = await runShell(
        { file, args, environment, account, timeoutMs, keep: outputCharacters, maxOutputBytes: maxOutputMb * 1_048_576 },
        onOutput,
        signal,
      );
      if (account && perSession && bubblewrap === null) await sweep(account);
      const isOutside = workingFolder !== '' && !(await saveWorkingFolder(workspace, workingFolder));
      return { end, ...output, resetFolder: isOutside ? { from: workingFolder, to: workspace.root } : null };
    });
    return result ?? { end: { kind: 'aborted' }, text: '', isTruncated: false, resetFolder: null };
  }
}

/** Killed processes count against the limit until they are reaped, so after very many of them the next command could start none. */
const SWEEP = [
  'for _ in 1 2 3 4 5 6 7 8 9 10; do',
  '  kill -s KILL -- -1 2>/dev/null; count=0',
  '  for process in /proc/[0-9]*; do [ -O "$process" ] && count=$((count + 1)); done',
  '  [ $count -lt 8 ] && exit 0; sleep 0.05',
  'done',
].join('\n');

/** Kills every process of the account, including those that have left the group. */
function sweep(account: Account): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', SWEEP], { ...account, cwd: '/', env: {}, stdio: 'ignore' });
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
}
