import type { Append } from '../../ports/index.js';
import { Prisma } from '../../generated/prisma/client.js';

/** What some events change outside the log, as calls in the select list of the append: its columns are its outcome and its last seq. */
export function effects({ tenantId, sessionId, events, erasedFiles, orphans = [], grants }: Append): readonly Prisma.Sql[] {
  const session = Prisma.sql`outcome, ${tenantId}::uuid, ${sessionId}::uuid`;
  const caused = events.flatMap((event) => {
    switch (event.type) {
      case 'content.erased': {
        const files = erasedFiles?.map((sha256) => Buffer.from(sha256, 'hex')) ?? null;
        const erased = Prisma.sql`erase_content(${session}, last_seq, ${files}::bytea[])`;
        return orphans.length === 0 ? [erased] : [erased, Prisma.sql`orphan_helpers(${session}, last_seq, ${orphans}::uuid[])`];
      }
      case 'hold.placed':
      case 'hold.released':
        return [Prisma.sql`hold_session(${session}, ${event.type === 'hold.placed'}::boolean)`];
      case 'session.created':
      case 'session.configured': {
        const { retentionDays } = event.type === 'session.created' ? event.data.settings : event.data.changes;
        const retained = retentionDays === undefined ? [] : [Prisma.sql`retain_session(${session}, ${retentionDays}::int)`];
        const parent = event.type === 'session.created' ? event.data.parent : undefined;
        if (parent === undefined) return retained;
        return [...retained, Prisma.sql`start_helper(${session}, ${parent.sessionId}::uuid, ${parent.turnId}::uuid, ${firstTurn(events)}::uuid)`];
      }
      case 'schedule.set':
      case 'schedule.ran':
      case 'schedule.deleted': {
        const nextRunAt = event.type === 'schedule.deleted' ? null : event.data.nextRunAt;
        return [Prisma.sql`plan_run(${session}, ${event.data.scheduleId}::uuid, ${nextRunAt}::timestamptz)`];
      }
      default:
        return [];
    }
  });
  const shared = grants
    ? [Prisma.sql`share_session(${session}, ${grants.ownerId}::uuid, ${[...grants.grants.keys()]}::text[], ${[...grants.grants.values()]}::text[])`]
    : [];
  return [...caused, ...shared];
}

const firstTurn = (events: Append['events']): string | null => {
  const started = events.find(({ type }) => type === 'turn.started');
  return started?.type === 'turn.started' ? started.data.turnId : null;
};
