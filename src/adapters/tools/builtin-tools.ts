import path from 'node:path';
import type { Settings } from '../../config/env.js';
import type { AttachmentProvider, ToolSet } from '../../core/ports.js';
import { BashTool } from './bash/bash-tool.js';
import { findSandbox } from './bash/detect-sandbox.js';
import { findProgram } from './bash/sandbox.js';
import { Shell } from './bash/shell.js';
import { GitStatus } from './bash/git-status.js';
import { FileMentions } from './files/file-mentions.js';
import { type FileSettings, FileTools } from './files/file-tools.js';
import { accounts } from './workspaces/accounts.js';
import { type ReadOnlyFolders, Workspaces } from './workspaces/workspaces.js';

type Report = (problem: string, error: unknown) => void;

export const workspacesDirectory = (settings: Pick<Settings, 'WORKSPACES_DIR' | 'DATA_DIR'>): string =>
  settings.WORKSPACES_DIR ?? path.join(settings.DATA_DIR, 'workspaces');

/** The folders of sessions; null where no tool uses them. */
export async function openWorkspaces(settings: Settings, report: Report): Promise<Workspaces | null> {
  if (settings.TOOLS.length === 0) return null;
  return new Workspaces(workspacesDirectory(settings), await accounts(settings.BASH_USER), report);
}

/** The folders that the tools' accounts can enter. */
export const reachable =
  (workspaces: Workspaces, folders: ReadOnlyFolders): ReadOnlyFolders =>
  async (tenantId) =>
    workspaces.reachable(await folders(tenantId).catch(() => []));

/** The shell of sessions; null where `Bash` is off, which is reported where commands cannot be isolated from the server. */
export async function openShell(settings: Settings, workspaces: Workspaces | null, folders: ReadOnlyFolders, report: Report): Promise<Shell | null> {
  // A process that runs no turns offers what a worker runs.
  if (workspaces === null || !settings.TOOLS.includes('Bash') || settings.ROLE === 'api') return null;
  const shell = {
    search: commandSearchPath(),
    outputCharacters: settings.BASH_OUTPUT_CHARACTERS,
    maxOutputMb: settings.BASH_MAX_OUTPUT_MB,
    memoryMb: settings.BASH_MEMORY_MB,
    processes: settings.BASH_PROCESSES,
    fileMb: settings.BASH_FILE_MB,
  };
  const wanted = { ...shell, sandbox: settings.BASH_SANDBOX, network: settings.BASH_NETWORK === 'on' };
  const sandbox = await findSandbox(wanted, workspaces);
  if (typeof sandbox === 'string') {
    report(`Bash stays off: ${sandbox}`, null);
    return null;
  }
  return new Shell(shell, sandbox, workspaces, folders);
}

/** The built-in tools that the settings enable. */
export function builtinTools(settings: Settings, workspaces: Workspaces | null, shell: Shell | null, folders: ReadOnlyFolders): readonly ToolSet[] {
  if (workspaces === null) return [];
  const sets: ToolSet[] = [];
  if (settings.TOOLS.includes('Bash') && (shell !== null || settings.ROLE === 'api'))
    sets.push(new BashTool({ timeoutMs: settings.BASH_TIMEOUT_MS, maxTimeoutMs: settings.BASH_MAX_TIMEOUT_MS }, shell));
  const files = settings.TOOLS.filter((name) => name !== 'Bash');
  if (files.length > 0) sets.push(new FileTools(fileSettings(settings), workspaces, files, folders));
  return sets;
}

/** What the session's folder adds to a prompt. */
export function workspaceProviders(settings: Settings, workspaces: Workspaces | null, shell: Shell | null): readonly AttachmentProvider[] {
  if (workspaces === null) return [];
  const mentions = settings.TOOLS.includes('Read') ? [new FileMentions(new FileTools(fileSettings(settings), workspaces, ['Read']))] : [];
  return [...mentions, ...(settings.GIT_STATUS && shell !== null ? [new GitStatus(shell, workspaces)] : [])];
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
