import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { AttachmentProvider, type AttachmentRequest, type TenantConfiguration } from '../../core/ports.js';
import { lastAttachment } from '../../core/normalize/last-attachment.js';
import type { Attachment } from '../../core/message/attachment.js';
import { cut } from '../../core/message/text.js';

/** The file of instructions in a session's folder. */
const FILE = 'CLAUDE.md';

/** The tenant's instructions and those of the file in the session's folder, each when it differs from what the model was last given. */
export class Memory extends AttachmentProvider {
  override readonly name = 'memory';

  constructor(
    private readonly tenants: Pick<TenantConfiguration, 'read'>,
    private readonly settings: {
      /** The folder of all sessions; the files of one are in `<tenant>/<session>/files`. */
      readonly workspaces: string;
      /** Characters of each; longer text is cut. */
      readonly characters: number;
    },
  ) {
    super();
  }

  override async gather({ tenantId, sessionId, transcript }: AttachmentRequest): Promise<readonly Attachment[]> {
    const [{ instructions }, file] = await Promise.all([this.tenants.read(tenantId), this.#file(tenantId, sessionId)]);
    const now: readonly Attachment[] = [
      { type: 'memory', source: 'tenant', content: this.#cut(instructions ?? '') },
      { type: 'memory', source: 'workspace', path: FILE, content: this.#cut(file) },
    ];
    return now.filter(
      ({ source, content }) => content !== (lastAttachment(transcript, (given) => given.type === 'memory' && given['source'] === source)?.['content'] ?? ''),
    );
  }

  /** Empty when there is none. Tools write into that folder, so only a regular file is read: no link, pipe or device. */
  async #file(tenantId: string, sessionId: string): Promise<string> {
    const place = path.join(this.settings.workspaces, tenantId, sessionId, 'files', FILE);
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
      const { buffer, bytesRead } = await file.read(Buffer.alloc(this.settings.characters * 4 + 4), 0);
      return new TextDecoder().decode(buffer.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  }

  #cut(text: string): string {
    const { characters } = this.settings;
    if (text.trim() === '') return '';
    return text.length <= characters ? text : `${cut(text, characters)}\n[This is cut after ${characters} characters]`;
  }
}
