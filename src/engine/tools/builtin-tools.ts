import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { type Settings, SettingsError } from '../../platform/config/env.js';
import type { AttachmentProviders, ReadOnlyFolder, SessionFiles, ToolSet } from '../../ports/index.js';
import { BashTool } from './bash/bash-tool.js';
import { findSandbox, makesUserNamespaces } from './bash/detect-sandbox.js';
import { findProgram, type Sandbox } from './bash/sandbox.js';
import { type ServerCommand, Shell, type ShellSession } from './bash/shell.js';
import { GitStatus } from './bash/git-status.js';
import { FileMentions } from './files/file-mentions.js';
import { type FileSettings, FileTools } from './files/file-tools.js';
import { accounts } from './workspaces/accounts.js';
import { NoFolders, WorkspaceFiles } from './workspaces/workspace-files.js';
import { type ReadOnlyFolders, Workspaces } from './workspaces/workspaces.js';

type Report = (problem: string, error: unknown) => void;

export const workspacesDirectory = (settings: Pick<Settings, 'WORKSPACES_DIR' | 'DATA_DIR'>): string =>
  settings.WORKSPACES_DIR ?? path.join(settings.DATA_DIR, 'workspaces');

/** The folders of sessions; null where no tool uses them. */
export async function openWorkspaces(settings: Settings, report: Report): Promise<Workspaces | null> {
  if (settings.TOOLS.every((name) => name === 'Agent')) return null;
  return new Workspaces(workspacesDirectory(settings), await accounts(settings.BASH_USER), report);
}

/** The folders as the log knows them. */
export function sessionFiles(settings: Settings, workspaces: Workspaces | null): SessionFiles {
  if (workspaces === null) return new NoFolders();
  return new WorkspaceFiles(workspaces, {
    fileBytes: settings.WORKSPACE_FILE_BYTES,
    bytes: settings.WORKSPACE_BYTES,
    files: settings.WORKSPACE_FILES,
    depth: settings.FILE_FOLDER_DEPTH,
    ignored: settings.WORKSPACE_IGNORE,
    timeoutMs: settings.WORKSPACE_TIMEOUT_MS,
  });
}

/** The folders that the tools' accounts can enter. */
export const reachable =
  (workspaces: Workspaces, folders: ReadOnlyFolders): ReadOnlyFolders =>
  async (tenantId) =>
    workspaces.reachable(await folders(tenantId).catch(() => []));

/** Command hooks that cannot run as they are configured: a guard that is off must not be noticed later. */
const HOOKS_WITHOUT_SANDBOX =
  'Command hooks run in the folders of sessions, whose files the model writes, so they need a sandbox. Mark those that need none with "sandbox": false in HOOKS_FILE or the plugin (they run in the folder of the server, with its account), or unset TOOLS';

export interface ShellUse {
  /** What commands of a tenant see besides their own folder. */
  readonly folders: ReadOnlyFolders;
  /** The folders of all tenants, by the paths that the model is told. */
  readonly told: readonly ReadOnlyFolder[];
  /** Whether hooks run in it. */
  readonly forHooks: boolean;
  /** Files and folders that these have to read. */
  readonly readByHooks: readonly string[];
}

/**
 * The shell of sessions; null where nothing uses one. Where commands cannot be isolated from the server, `Bash` stays off, which is reported, and
 * `forHooks` is an error.
 */
export async function openShell(
  settings: Settings,
  workspaces: Workspaces | null,
  { folders, told, forHooks, readByHooks }: ShellUse,
  report: Report,
): Promise<Shell | null> {
  if (workspaces === null) return null;
  // A process that runs no turns offers what a worker runs.
  const forBash = settings.TOOLS.includes('Bash') && settings.ROLE !== 'api';
  if (!forBash && !forHooks) return null;
  const limits = {
    search: commandSearchPath(),
    outputCharacters: settings.BASH_OUTPUT_CHARACTERS,
    maxOutputMb: settings.BASH_MAX_OUTPUT_MB,
    memoryMb: settings.BASH_MEMORY_MB,
    processes: settings.BASH_PROCESSES,
    fileMb: settings.BASH_FILE_MB,
  };
  const sandbox = await findSandbox({ ...limits, sandbox: settings.BASH_SANDBOX, network: settings.BASH_NETWORK === 'on' }, workspaces);
  if (typeof sandbox === 'string') {
    if (forHooks) throw new SettingsError(`${HOOKS_WITHOUT_SANDBOX}. There is no sandbox here: ${sandbox}`);
    report(`Bash stays off: ${sandbox}`, null);
    return null;
  }
  const shell = new Shell(limits, sandbox, workspaces, folders);
  if (forHooks && !shell.isIsolated) throw new SettingsError(`${HOOKS_WITHOUT_SANDBOX}. BASH_SANDBOX=none is no sandbox unless the server runs as root.`);
  const unreadable = await workspaces.unreadable(readByHooks);
  if (unreadable.length > 0) {
    const remedy = 'Make them and the folders above them accessible (chmod o+rX), or mark the hooks with "sandbox": false';
    throw new SettingsError(`Command hooks run with the accounts of sessions, which cannot read ${unreadable.join(', ')}. ${remedy}.`);
  }
  if (forBash && sandbox.bubblewrap === null) await reportUnseen(told, report);
  if (forBash && shell.isIsolated && (await makesUserNamespaces(sandbox, limits, workspaces))) report(userNamespaces(sandbox), null);
  return shell;
}

/** Such a namespace gives no right outside of it, but a fault of the kernel that only root reaches otherwise. */
function userNamespaces({ bubblewrap }: Sandbox): string {
  const remedy =
    bubblewrap === null
      ? 'Run the server in a container whose seccomp profile forbids it, as that of Docker does, set user.max_user_namespaces=0 on the machine, or install bubblewrap'
      : 'Install bubblewrap 0.8 or later, which forbids it';
  return `Commands of Bash can make user namespaces (unshare -Ur), in which they are root before more of the kernel. ${remedy}`;
}

/** Without bubblewrap nothing shows commands a folder at the path that the model is told. */
async function reportUnseen(told: readonly ReadOnlyFolder[], report: Report): Promise<void> {
  const real = (place: string): Promise<string | null> => realpath(place).catch(() => null);
  const isSeen = await Promise.all(told.map(async (folder) => (await real(folder.path)) === (await real(folder.directory))));
  const unseen = told.filter((_, index) => !isSeen[index]).map((folder) => `${folder.path} (${folder.directory})`);
  if (unseen.length === 0) return;
  const remedy = 'Install skills and plugins at these paths, or link the paths to them';
  report(`Without bubblewrap commands of Bash see the real file system, and do not find ${unseen.join(', ')}. ${remedy}`, null);
}

/** What hooks need of the sandbox; null where sessions have no folder. */
export function hookSandbox(workspaces: Workspaces | null, shell: Shell | null) {
  if (workspaces === null) return null;
  return {
    folder: async ({ tenantId, sessionId }: ShellSession) => (await workspaces.of(tenantId, sessionId)).root,
    run: (session: ShellSession, command: ServerCommand, signal: AbortSignal) => shell?.runServerCommand(session, command, signal) ?? Promise.resolve(null),
  };
}

/** The built-in tools that the settings enable. */
export function builtinTools(settings: Settings, workspaces: Workspaces | null, shell: Shell | null, folders: ReadOnlyFolders): readonly ToolSet[] {
  if (workspaces === null) return [];
  const sets: ToolSet[] = [];
  if (settings.TOOLS.includes('Bash') && (shell !== null || settings.ROLE === 'api'))
    sets.push(new BashTool({ timeoutMs: settings.BASH_TIMEOUT_MS, maxTimeoutMs: settings.BASH_MAX_TIMEOUT_MS }, shell));
  const files = settings.TOOLS.filter((name) => name !== 'Bash' && name !== 'Agent');
  if (files.length > 0) sets.push(new FileTools(fileSettings(settings), workspaces, files, folders));
  return sets;
}

/** What the session's folder adds to a prompt, and to every request. */
export function workspaceProviders(settings: Settings, workspaces: Workspaces | null, shell: Shell | null): AttachmentProviders {
  if (workspaces === null) return { all: [], standing: [] };
  return {
    all: settings.TOOLS.includes('Read') ? [new FileMentions(new FileTools(fileSettings(settings), workspaces, ['Read']))] : [],
    standing: settings.GIT_STATUS && shell?.isIsolated ? [new GitStatus(shell, workspaces)] : [],
  };
}

const fileSettings = (settings: Settings): FileSettings => ({
  characters: settings.FILE_READ_CHARACTERS,
  maxBytes: settings.FILE_MAX_BYTES,
  maxEntries: settings.FILE_SEARCH_ENTRIES,
  paths: { parts: settings.FILE_PATH_PARTS, depth: settings.FILE_FOLDER_DEPTH },
  timeoutMs: settings.FILE_TIMEOUT_MS,
});

/** Whether commands find a program of this name. */
export const hasProgram = (name: string): boolean => findProgram(name, commandSearchPath()) !== null;

const commandSearchPath = (): string => process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
