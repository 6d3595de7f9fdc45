import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { Attachment } from '../../../../packages/protocol/message/attachment.js';
import { type StandingRequest, StandingSource } from '../../../ports/index.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import type { Shell } from './shell.js';

/** Without locks, so that it cannot disturb a git command of the session. */
const COMMAND = 'git --no-optional-locks status --short --branch | head -n 200';
const TIMEOUT_MS = 5_000;
const CHARACTERS = 100_000;

/**
 * The git status at the first request that can have it, where the session's folder is a repository. Git runs in the sandbox: the repository's own configuration can name
 * programs to run. Without isolation there is none: a model that may only write files could run programs with the server's account.
 */
export class GitStatus extends StandingSource {
  override readonly name = 'git';

  constructor(
    private readonly shell: Shell,
    private readonly workspaces: Workspaces,
  ) {
    super();
  }

  override async read({ tenantId, sessionId, hasFile }: StandingRequest, told: Attachment | null, signal: AbortSignal): Promise<Attachment | null> {
    if (told) return null;
    const { root } = await this.workspaces.place(tenantId, sessionId);
    const isRepository = (): Promise<boolean> => lstat(path.join(root, '.git')).then(Boolean, () => false);
    if (!hasFile('.git/HEAD') && !(await isRepository())) return null; // without a look at the whole folder
    await this.workspaces.of(tenantId, sessionId);
    if (!(await isRepository())) return null;
    const terms = { input: '', timeoutMs: TIMEOUT_MS, keep: CHARACTERS };
    const outcome = await this.shell.runServerCommand({ tenantId, sessionId }, { command: COMMAND, environment: {}, readable: [], ...terms }, signal);
    if (outcome?.end.kind !== 'exit' || outcome.end.code !== 0 || !outcome.stdout.text.startsWith('##')) return null;
    return { type: 'git_status', content: outcome.stdout.text.trimEnd() };
  }
}
