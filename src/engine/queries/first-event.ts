import type { EventLog } from '../../ports/index.js';
import type { SessionEvent } from '../../../packages/protocol/events/events.js';

/** The first event of a session's log; null when there is none. */
export async function firstEvent(
  store: Pick<EventLog, 'load'>,
  tenantId: string,
  sessionId: string,
): Promise<Extract<SessionEvent, { type: 'session.created' }> | null> {
  const [first] = await store.load(tenantId, sessionId, 0, 1);
  return first?.type === 'session.created' ? first : null;
}
