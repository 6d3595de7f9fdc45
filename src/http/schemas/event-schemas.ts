import { EVENT_TYPES, EVENTS, type EventData, type EventType } from '../../../packages/protocol/events/events.js';
import type { z } from 'zod';
import { COMPONENTS } from './components.js';
import { schemaOf } from './schema-of-shape.js';

/** The `data` of each event type, as its shape says. The description is the event's meaning. */
export const EVENT_DATA = Object.fromEntries(EVENT_TYPES.map((type) => [type, schemaOf(EVENTS[type].shape, COMPONENTS)])) as {
  readonly [T in EventType]: z.ZodType<EventData[T]>;
};
