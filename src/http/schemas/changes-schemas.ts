import { z } from 'zod';
import { queryTime, sessionListItem } from './session-schemas.js';

export const changesQuery = z.strictObject({
  after: queryTime.optional().meta({ description: 'Id of the last event received: report what has changed since.' }),
  ticket: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'A ticket of POST /v1/stream-tickets without `sessionId`, in place of the Authorization header.' }),
});

/** The `data` of each event of the stream over all sessions of a user. */
export const CHANGES_EVENT_DATA = {
  'session.changed': sessionListItem,
  'sessions.synced': z.strictObject({}).meta({ description: 'The replay is complete; what follows is live.' }),
} as const;

/** What the stream contains: `type` is its field `event`, `data` its field `data`. */
export const sessionsChange = z
  .discriminatedUnion('type', [
    z
      .strictObject({ type: z.literal('session.changed'), data: CHANGES_EVENT_DATA['session.changed'] })
      .meta({ id: 'SessionChangedEvent', description: 'A session has changed: its current row of the session list.' }),
    z
      .strictObject({ type: z.literal('sessions.synced'), data: CHANGES_EVENT_DATA['sessions.synced'] })
      .meta({ id: 'SessionsSyncedEvent', description: 'The replay is complete; what follows is live.' }),
  ])
  .meta({ id: 'SessionsChange', description: 'An event of the stream over all sessions: `type` is the field `event` of the stream.' });
