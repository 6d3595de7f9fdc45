import type { Append } from '../../core/ports.js';
import { Prisma } from '../../generated/prisma/client.js';

/** What some events change outside the log, as calls in the select list of the append: its columns are its outcome and its last seq. */
export function effects({ tenantId, sessionId, events, erasedFiles }: Append): readonly Prisma.Sql[] {
  return events.flatMap(({ type }) => {
    switch (type) {
      case 'content.erased': {
        const files = erasedFiles?.map((sha256) => Buffer.from(sha256, 'hex')) ?? null;
        return [Prisma.sql`erase_content(outcome, ${tenantId}::uuid, ${sessionId}::uuid, last_seq, ${files}::bytea[])`];
      }
      case 'hold.placed':
      case 'hold.released':
        return [Prisma.sql`hold_session(outcome, ${tenantId}::uuid, ${sessionId}::uuid, ${type === 'hold.placed'}::boolean)`];
      default:
        return [];
    }
  });
}
