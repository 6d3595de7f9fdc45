import { spawn } from 'node:child_process';
import { KeyedMutex } from '../../../platform/async/keyed-mutex.js';
import { type CommandOutcome, type CommandTerms, type Program, runCommand } from '../../../platform/child-process/run-command.js';
import type { ProcessEnd } from '../../../platform/child-process/supervise.js';
import type { ReadOnlyFolder } from '../../../ports/index.js';
import type { Account } from '../workspaces/accounts.js';
import { lastWorkingFolder, type ReadOnlyFolders, saveWorkingFolder, type Workspace, type Workspaces } from '../workspaces/workspaces.js';
import { environmentOf, GIT_ENVIRONMENT, isIsolated, type Sandbox, sandboxed } from './sandbox.js';
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

/** A command of the server's own in a session's sandbox, such as a hook's. */
export interface ServerCommand extends CommandTerms {
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Files and folders that it may read at their own place. */
  readonly readable: readonly string[];
}

/** Reports on file 3, in place of the last working folder, that everything is done which can keep a command from running. */
const BEGUN = 'trap - EXIT; printf begun >&3; exec 3>&-';

/** What the model writes must not configure a command of the server's own. */
const NO_HOME = '/nonexistent';

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

  /** Whether commands cannot reach what is the server's. */
  get isIsolated(): boolean {
    return isIsolated(this.sandbox, this.workspaces.accounts.of(''));
  }

  /** `timeoutMs` counts from the start of the command, not of the wait for its turn. Rejects when the session's folder cannot be made. */
  async run(session: ShellSession, command: string, timeoutMs: number, onOutput: (output: ShellOutput) => void, signal: AbortSignal): Promise<ShellResult> {
    const { outputCharacters: keep, maxOutputMb } = this.settings;
    const result = await this.#alone(session, signal, async () => {
      const workspace = await this.workspaces.of(session.tenantId, session.sessionId);
      const folders = this.sandbox.bubblewrap === null ? [] : await this.folders(session.tenantId);
      const program = this.#program(workspace, folders, await lastWorkingFolder(workspace), command);
      const limits = { timeoutMs, keep, maxOutputBytes: maxOutputMb * 1_048_576 };
      const { end, workingFolder, ...output } = await runShell({ ...program, ...limits }, onOutput, signal);
      const isOutside = workingFolder !== '' && !(await saveWorkingFolder(workspace, workingFolder));
      return { end, ...output, resetFolder: isOutside ? { from: workingFolder, to: workspace.root } : null };
    });
    return result ?? { end: { kind: 'aborted' }, text: '', isTruncated: false, resetFolder: null };
  }

  /**
   * Runs a command of the server's own in the session's folder, with the same isolation and account. Null when the sandbox did not come as far as the command.
   * Rejects when the session's folder cannot be made.
   */
  async runServerCommand(
    session: ShellSession,
    { command, environment, readable, ...terms }: ServerCommand,
    signal: AbortSignal,
  ): Promise<CommandOutcome | null> {
    const workspace = await this.workspaces.of(session.tenantId, session.sessionId);
    const folders = readable.map((place) => ({ directory: place, path: place }));
    const program = this.#program(workspace, folders, workspace.root, `${BEGUN}\n${command}`);
    const own = { ...program.environment, HOME: NO_HOME, ...GIT_ENVIRONMENT, ...environment };
    const run = (): Promise<CommandOutcome> => runCommand({ ...program, environment: own }, terms, signal);
    // Bubblewrap hides it from the session's other processes. Without, they could end it, so it waits until there are none.
    const outcome = await (this.sandbox.bubblewrap === null ? this.#alone(session, signal, run) : run());
    return outcome?.hasReported === false && outcome.end.kind !== 'aborted' ? null : outcome;
  }

  /** Runs `work` when no other command of the session runs, and ends what it leaves running. Null when `signal` aborts before. */
  #alone<T>({ tenantId, sessionId }: ShellSession, signal: AbortSignal, work: () => Promise<T>): Promise<T | null> {
    const session = `${tenantId}/${sessionId}`;
    const { accounts } = this.workspaces;
    const account = accounts.perSession ? accounts.of(session) : null;
    // Sessions that share an account by a hash collision must not run concurrently: the sweep kills every process of the account.
    return this.#mutex.runUnlessAborted(account ? String(account.uid) : session, signal, async () => {
      const result = await work();
      if (account && this.sandbox.bubblewrap === null) await sweep(account);
      return result;
    });
  }

  /** The program that runs a command of the session's shell. */
  #program(workspace: Workspace, folders: readonly ReadOnlyFolder[], workingFolder: string, command: string): Program {
    const { memoryMb, processes, fileMb, search } = this.settings;
    const { shell, countProcesses } = this.sandbox;
    const text = script({ memoryMb, processes: countProcesses ? processes : null, fileMb }, shell.kind);
    const [file, ...args] = sandboxed(this.sandbox, workspace, folders, ['-c', text, shell.kind, workingFolder, command]);
    return { file, args, directory: '/', environment: environmentOf(workspace, this.sandbox, search), account: workspace.account };
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
