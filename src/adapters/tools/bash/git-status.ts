import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { Attachment } from '../../../core/message/attachment.js';
import { lastAttachment } from '../../../core/normalize/last-attachment.js';
import { AttachmentProvider, type AttachmentRequest } from '../../../core/ports.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import type { Shell } from './shell.js';

/** Without locks, so that it cannot disturb a git command of the session. */
const COMMAND = 'git --no-optional-locks status --short --branch | head -n 200';
const TIMEOUT_MS = 5_000;
const CHARACTERS = 100_000;

/**
 * Gives the git status once per conversation, where the session's folder is a repository. Git runs in the sandbox: the repository's own configuration can name
 * programs to run. Without isolation there is none: a model that may only write files could run programs with the server's account.
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
    const terms = { input: '', timeoutMs: TIMEOUT_MS, keep: CHARACTERS };
    const outcome = await this.shell.runServerCommand({ tenantId, sessionId }, { command: COMMAND, environment: {}, readable: [], ...terms }, signal);
    if (outcome?.end.kind !== 'exit' || outcome.end.code !== 0 || !outcome.stdout.text.startsWith('##')) return [];
    return [{ type: 'git_status', content: outcome.stdout.text.trimEnd() }];
  }
}
