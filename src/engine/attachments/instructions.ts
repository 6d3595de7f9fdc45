import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import path from 'node:path';
import { type StandingRequest, StandingSource, type TenantConfiguration } from '../../ports/index.js';
import type { Attachment } from '../../../packages/protocol/message/attachment.js';
import { cut } from '../../../packages/protocol/message/text.js';

/** The file of instructions in a session's folder. */
const FILE = 'CLAUDE.md';

/** The tenant's instructions. They are a rule of those who run the place: without them nothing is sent. */
export class TenantInstructions extends StandingSource {
  override readonly name = 'tenant-instructions';
  override readonly isRequired = true;

  constructor(
    private readonly tenants: Pick<TenantConfiguration, 'read'>,
    /** Longer text is cut. */
    private readonly characters: number,
  ) {
    super();
  }

  override async read({ tenantId }: StandingRequest, told: Attachment | null): Promise<Attachment | null> {
    const { instructions } = await this.tenants.read(tenantId);
    return changed({ type: 'memory', source: 'tenant', content: within(instructions ?? '', this.characters) }, told);
  }
}

/** The instructions in the file of the session's folder. */
export class WorkspaceInstructions extends StandingSource {
  override readonly name = 'workspace-instructions';

  constructor(
    /** The folder of all sessions; the files of one are in `<tenant>/<session>/files`. */
    private readonly workspaces: () => Promise<string>,
    /** Makes a session's folder what the log says. */
    private readonly ready: (tenantId: string, sessionId: string) => Promise<unknown>,
    /** Longer text is cut. */
    private readonly characters: number,
  ) {
    super();
  }

  override async read({ tenantId, sessionId, hasFile }: StandingRequest, told: Attachment | null): Promise<Attachment | null> {
    const place = path.join(await this.workspaces(), tenantId, sessionId, 'files', FILE);
    // Whether the folder of this machine is the newest is only looked at where it matters: that reads its names.
    if ((told?.['content'] ?? '') !== '' || hasFile(FILE) || (await lstat(place).catch(() => null))) await this.ready(tenantId, sessionId);
    const content = within(await textOf(place, this.characters), this.characters);
    return changed({ type: 'memory', source: 'workspace', path: FILE, content }, told);
  }
}

/** Its beginning; empty when there is none. Tools write into that folder, so only a regular file is read: no link, pipe or device. */
async function textOf(place: string, characters: number): Promise<string> {
  let file: FileHandle;
  try {
    file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(String((error as { code?: unknown }).code))) return '';
    throw error;
  }
  try {
    if (!(await file.stat()).isFile()) return '';
    // A character has at most four bytes; one character more than the limit shows that the file is longer.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(characters * 4 + 4), 0);
    return new TextDecoder().decode(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

const changed = (now: Attachment, told: Attachment | null): Attachment | null => (now['content'] === (told?.['content'] ?? '') ? null : now);

function within(text: string, characters: number): string {
  if (text.trim() === '') return '';
  return text.length <= characters ? text : `${cut(text, characters)}\n[This is cut after ${characters} characters]`;
}
