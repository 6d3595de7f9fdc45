import path from 'node:path';
import type { Settings } from '../../config/env.js';
import type { ToolSet } from '../../core/ports.js';
import { BashTool } from './bash/bash-tool.js';
import { detectSandbox } from './bash/detect-sandbox.js';
import { Shell } from './bash/shell.js';
import { FileTools } from './files/file-tools.js';
import { accounts } from './workspaces/accounts.js';
import { Workspaces } from './workspaces/workspaces.js';

/** The server's own tools that the settings switch on. `Bash` stays off, and is reported, where nothing keeps a command apart from the server. */
export async function builtinTools(settings: Settings, report: (problem: string, error: unknown) => void): Promise<readonly ToolSet[]> {
  const files = settings.TOOLS.filter((name) => name !== 'Bash');
  if (settings.TOOLS.length === 0) return [];
  const directory = settings.WORKSPACES_DIR ?? path.join(settings.DATA_DIR, 'workspaces');
  const workspaces = new Workspaces(directory, await accounts(settings.BASH_USER), report);
  const sets: ToolSet[] = [];
  if (settings.TOOLS.includes('Bash')) {
    const bash = await bashTool(settings, workspaces);
    if (typeof bash === 'string') report(`Bash stays off: ${bash}`, null);
    else sets.push(bash);
  }
  if (files.length > 0) {
    const { FILE_READ_CHARACTERS: characters, FILE_MAX_BYTES: maxBytes, FILE_SEARCH_ENTRIES: maxEntries, FILE_TIMEOUT_MS: timeoutMs } = settings;
    sets.push(new FileTools({ characters, maxBytes, maxEntries, timeoutMs }, workspaces, files));
  }
  return sets;
}

async function bashTool(settings: Settings, workspaces: Workspaces): Promise<BashTool | string> {
  const limits = { timeoutMs: settings.BASH_TIMEOUT_MS, maxTimeoutMs: settings.BASH_MAX_TIMEOUT_MS };
  // A process that takes no turns offers what a worker will run.
  if (settings.ROLE === 'api') return new BashTool(limits, null);
  const shell = {
    search: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    outputCharacters: settings.BASH_OUTPUT_CHARACTERS,
    maxOutputMb: settings.BASH_MAX_OUTPUT_MB,
    memoryMb: settings.BASH_MEMORY_MB,
    processes: settings.BASH_PROCESSES,
    fileMb: settings.BASH_FILE_MB,
  };
  const walls = await detectSandbox({ ...shell, sandbox: settings.BASH_SANDBOX, network: settings.BASH_NETWORK === 'on' }, workspaces).catch((error: unknown) =>
    String(error),
  );
  return typeof walls === 'string' ? walls : new BashTool(limits, new Shell(shell, walls, workspaces));
}
