import { rm } from 'node:fs/promises';
import path from 'node:path';
import { SessionFolders } from '../../../ports/index.js';

/** Removes folders that Workspaces has made, also while no tool is enabled. Links in them are removed, not followed. */
export class WorkspaceRemoval extends SessionFolders {
  constructor(private readonly directory: string) {
    super();
  }

  override async remove(tenantId: string, sessionId: string): Promise<void> {
    await rm(path.join(path.resolve(this.directory), path.basename(tenantId), path.basename(sessionId)), { recursive: true, force: true });
  }
}
