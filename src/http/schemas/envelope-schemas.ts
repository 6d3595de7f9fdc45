import { z } from 'zod';
import { EVENT_TYPES, EVENTS, type SessionEvent } from '../../../packages/protocol/events/events.js';
import { EVENT_DATA } from './event-schemas.js';
import { time, uuid } from './json.js';
import { LIVE_EVENT_DATA } from './live-schemas.js';

const actor = z.strictObject({ kind: z.enum(['user', 'system']), id: z.string() }).meta({ id: 'Actor' });

/** `SessionCreatedEvent` for `session.created`. */
function eventName(type: string): string {
  return `${type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Event`;
}

const meaning = (data: z.ZodType): string => z.globalRegistry.get(data)?.description ?? '';

const erased = z.literal(true).optional().meta({ description: 'Its content was erased: `data` is what is left of it.' });

const envelopes = EVENT_TYPES.map((type) =>
  z
    .strictObject({ id: uuid, seq: z.int(), type: z.literal(type), time, sessionId: uuid, actor, data: EVENT_DATA[type] as z.ZodType, erased })
    .meta({ id: eventName(type), description: meaning(EVENT_DATA[type]), 'x-changes': EVENTS[type].changes }),
);

/** An event of the log. `seq` counts 1, 2, 3… within the session, without gaps. */
export const eventEnvelope = z.discriminatedUnion('type', envelopes as unknown as [(typeof envelopes)[number], ...typeof envelopes]).meta({
  id: 'Event',
  description: 'An event of the log. `seq` counts 1, 2, 3 and so on within the session, without gaps.',
}) as unknown as z.ZodType<SessionEvent>;

const liveEvents = Object.entries(LIVE_EVENT_DATA).map(([type, data]) =>
  z.strictObject({ type: z.literal(type), data: data as z.ZodType }).meta({ id: eventName(type), description: meaning(data) }),
);

const liveEvent = z
  .discriminatedUnion('type', liveEvents as unknown as [(typeof liveEvents)[number], ...typeof liveEvents])
  .meta({ id: 'LiveEvent', description: 'An event that is streamed and not stored: `type` is the field `event` of the stream, `data` the field `data`.' });

/** What an event stream contains. */
export const streamedEvent = z
  .union([eventEnvelope, liveEvent])
  .meta({ id: 'StreamedEvent', description: 'A stored event, which is the field `data` of the stream, or a live event, which has no `id` there.' });
