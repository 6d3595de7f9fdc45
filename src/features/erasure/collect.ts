import type { EventStore } from '../../ports/index.js';
import type { ErasedEvent, SessionEvent } from '../../../packages/protocol/events/events.js';
import { filesIn } from '../../../packages/protocol/message/files-in.js';
import { isErasable, skeletonOf } from '../../../packages/protocol/events/skeleton.js';

/** Events per read. */
const PAGE = 200;

export interface Collected {
  readonly events: readonly ErasedEvent[];
  /** Size of what is erased. */
  readonly bytes: number;
  /** The seq after which to continue; null: the log has been read to its end. */
  readonly next: number | null;
  /** Files that the events refer to and, in a log that was read to its end, no other event of it does. */
  readonly files: readonly string[];
  /** Files that other events of what was read refer to. */
  readonly kept: ReadonlySet<string>;
}

/** Reads a log from `after` to `upTo` until `limit` events with content to erase are found. */
export async function collect(
  store: EventStore,
  log: { readonly tenantId: string; readonly sessionId: string },
  range: { readonly after: number; readonly upTo: number; readonly limit: number },
  isWanted: (event: SessionEvent) => boolean,
): Promise<Collected> {
  const events: ErasedEvent[] = [];
  const files = new Set<string>();
  const kept = new Set<string>();
  let bytes = 0;
  for (let after = range.after; after < range.upTo;) {
    const page = await store.load(log.tenantId, log.sessionId, after, Math.min(after + PAGE, range.upTo));
    for (const event of page) {
      if (events.length === range.limit) return { events, bytes, next: event.seq - 1, files: [], kept };
      const data = isErasable(event) && isWanted(event) ? skeletonOf(event) : null;
      for (const file of filesIn(event.data)) (data === null ? kept : files).add(file);
      if (data === null) continue;
      events.push({ seq: event.seq, data });
      bytes += Buffer.byteLength(JSON.stringify(event.data));
    }
    after = page.at(-1)?.seq ?? range.upTo;
  }
  return { events, bytes, next: null, files: [...files].filter((file) => !kept.has(file)), kept };
}
