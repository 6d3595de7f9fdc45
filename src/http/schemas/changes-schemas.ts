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
