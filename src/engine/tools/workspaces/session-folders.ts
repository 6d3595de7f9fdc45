import { rm } from 'node:fs/promises';
import path from 'node:path';
import { unlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { codeOf, inFolderOf } from './snapshot/descent.js';
import { SessionFolders } from '../../../ports/index.js';

/** Removes folders that Workspaces has made, also while no tool is enabled. Links in them are removed, not followed. */
export class WorkspaceRemoval extends SessionFolders {
  constructor(private readonly directory: string) {
    super();
  }

  override async remove(tenantId: string, sessionId: string): Promise<void> {
    await rm(this.#folder(tenantId, sessionId), { recursive: true, force: true });
  }

  override async removeFiles(tenantId: string, sessionId: string, paths: readonly string[]): Promise<void> {
    const root = path.join(this.#folder(tenantId, sessionId), 'files');
    for (const one of paths) {
      removeFile(root, one);
      await setImmediate();
    }
  }

  #folder(tenantId: string, sessionId: string): string {
    return path.join(path.resolve(this.directory), path.basename(tenantId), path.basename(sessionId));
  }
}

/** What is no longer there, or is a folder by now, is left. */
function removeFile(root: string, file: string): void {
  const enter: Parameters<typeof inFolderOf>[2] = (folder, name) => folder.enter(name);
  try {
    inFolderOf(root, file, enter, (folder, name) => unlinkSync(folder.at(name)));
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'EPERM'].includes(String(codeOf(error)))) throw error;
  }
}
