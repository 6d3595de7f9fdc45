import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { Attachment } from '../../../core/message/attachment.js';
import { lastAttachment } from '../../../core/normalize/last-attachment.js';
import { AttachmentProvider, type AttachmentRequest } from '../../../core/ports.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import type { Shell } from './shell.js';

/** Without locks, so that it cannot disturb a git command of the session. */
const COMMAND = 'git -C "$HOME" --no-optional-locks status --short --branch | head -n 200';
const TIMEOUT_MS = 5_000;

/**
 * Gives the git status once per conversation, where the session's folder is a repository. Git runs in the sandbox: the repository's own configuration can name
 * programs to run.
 */
export class GitStatus extends AttachmentProvider {
  override readonly name = 'git';

  constructor(
    private readonly shell: Shell,
    private readonly workspaces: Workspaces,
  ) {
    super();
  }

  override async gather({ tenantId, sessionId, transcript }: AttachmentRequest, signal: AbortSignal): Promise<readonly Attachment[]> {
    if (lastAttachment(transcript, ({ type }) => type === 'git_status')) return [];
    const { root } = await this.workspaces.of(tenantId, sessionId);
    if (!(await lstat(path.join(root, '.git')).catch(() => null))) return [];
    const { end, text } = await this.shell.run({ tenantId, sessionId }, COMMAND, TIMEOUT_MS, () => {}, signal);
    const isDone = end.kind === 'exit' && end.code === 0 && text.startsWith('##');
    return isDone ? [{ type: 'git_status', content: text.trimEnd() }] : [];
  }
}
