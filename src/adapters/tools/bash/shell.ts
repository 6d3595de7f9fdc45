import { spawn } from 'node:child_process';
import type { Account } from '../workspaces/accounts.js';
import { lastPlace, moveTo, type Workspaces } from '../workspaces/workspaces.js';
import type { HeadAndTail } from './head-and-tail.js';
import { script } from './script.js';
import { type Ending, runShell } from './shell-process.js';
import { KeyedMutex } from '../../../core/async/keyed-mutex.js';
import { environmentOf, inside, type Sandbox } from './sandbox.js';

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
  readonly ending: Ending;
  readonly text: string;
  readonly cut: boolean;
  /** Where the shell went that it may not stay in, and where it is instead. */
  readonly strayed: { readonly from: string; readonly to: string } | null;
}

export interface ShellSession {
  readonly tenantId: string;
  readonly sessionId: string;
}

/** A session's shell: one command at a time, each in the folder where the one before ended, and nothing left running behind it. */
export class Shell {
  readonly #mutex = new KeyedMutex();

  constructor(
    private readonly settings: ShellSettings,
    private readonly walls: Sandbox,
    private readonly workspaces: Workspaces,
  ) {}

  /** `timeoutMs` counts from the moment at which nothing else runs in the folder. Rejects when the folder cannot be made, never for what the command does. */
  async run(
    { tenantId, sessionId }: ShellSession,
    command: string,
    timeoutMs: number,
    watch: (output: HeadAndTail) => void,
    signal: AbortSignal,
  ): Promise<ShellResult> {
    const session = `${tenantId}/${sessionId}`;
    const { perSession } = this.workspaces.accounts;
    // Two sessions with the same account, should that happen, would be taken for one when what is left over is killed.
    const name = perSession ? String(this.workspaces.accounts.of(session)?.uid) : session;
    const result = await this.#mutex.runUnlessAborted(name, signal, async () => {
      const workspace = await this.workspaces.of(tenantId, sessionId);
      const { account } = workspace;
      const { memoryMb, processes, fileMb, search, outputCharacters, maxOutputMb } = this.settings;
      const { shell, bubblewrap, countProcesses } = this.walls;
      const text = script({ memoryMb, processes: countProcesses ? processes : null, fileMb }, shell.kind);
      const [file, ...args] = inside(this.walls, workspace, ['-c', text, shell.kind, await lastPlace(workspace), command]);
      const environment = environmentOf(workspace, this.walls, search);
      const outcome = await runShell(
        { file, args, environment, account, timeoutMs, keep: outputCharacters, floodBytes: maxOutputMb * 1_048_576 },
        watch,
        signal,
      );
      if (account && perSession && bubblewrap === null) await sweep(account);
      const strayed = outcome.place !== '' && !(await moveTo(workspace, outcome.place)) ? outcome.place : null;
      return { ending: outcome.ending, text: outcome.text, cut: outcome.cut, strayed: strayed === null ? null : { from: strayed, to: workspace.root } };
    });
    return result ?? { ending: { kind: 'interrupted' }, text: '', cut: false, strayed: null };
  }
}

/** The dead count as processes until the system has noticed: after very many of them, a moment is given to that, or the next command could start none. */
const SWEEP = [
  'for _ in 1 2 3 4 5 6 7 8 9 10; do',
  '  kill -s KILL -- -1 2>/dev/null; count=0',
  '  for process in /proc/[0-9]*; do [ -O "$process" ] && count=$((count + 1)); done',
  '  [ $count -lt 8 ] && exit 0; sleep 0.05',
  'done',
].join('\n');

/** Kills what has left its group, too: everything that runs as the account. */
function sweep(account: Account): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', SWEEP], { ...account, cwd: '/', env: {}, stdio: 'ignore' });
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
}
