import { type Memories, type StandingRequest, StandingSource } from '../../ports/index.js';
import type { Attachment } from '../../../packages/protocol/message/attachment.js';
import { utf8Length } from '../../../packages/protocol/message/text.js';
import { isHiddenPath } from '../../session/memory/memory-text.js';

/** The files in the memory of the user, where the model has it in this turn. Each attachment is the whole listing: after a compaction it may be the only one. */
export class MemoryListing extends StandingSource {
  override readonly name = 'memory';

  constructor(
    private readonly memories: Pick<Memories, 'files'>,
    /** Characters of the listing; files that do not fit are counted. */
    private readonly characters: number,
  ) {
    super();
  }

  override async read({ tenantId, memoryOf }: StandingRequest, told: Attachment | null): Promise<Attachment | null> {
    const before = told?.type === LISTING && told['userId'] !== null ? told : null;
    if (memoryOf === null) return before && { type: LISTING, userId: null, files: [], omitted: 0 };
    const all = (await this.memories.files({ tenantId, userId: memoryOf })).filter(({ path }) => !isHiddenPath(path));
    const listed = all.map(({ path, content, version }) => ({ path, bytes: utf8Length(content), version }));
    const files = within(listed, this.characters);
    const now = { userId: memoryOf, files, omitted: listed.length - files.length };
    const known = before && { userId: before['userId'], files: before['files'], omitted: before['omitted'] };
    if (JSON.stringify(known) === JSON.stringify(now)) return null;
    return { type: LISTING, ...now, ...(before ? { isChange: true } : {}) };
  }
}

const LISTING = 'memory_listing';

/** The first ones that fit. */
function within<T extends { readonly path: string; readonly bytes: number; readonly version: number }>(files: readonly T[], most: number): readonly T[] {
  let left = most;
  return files.filter(({ path, bytes, version }) => left >= 0 && (left -= `${bytes} ${version} ${path}`.length) >= 0);
}
