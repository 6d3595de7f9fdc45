import { ACCESS_EVENTS } from './access-events.js';
import { CALL_EVENTS } from './call-events.js';
import type { DefinedEvent, EventDefinition } from './define-event.js';
import { SCHEDULE_EVENTS } from './schedule-events.js';
import { SESSION_EVENTS } from './session-events.js';
import { TURN_EVENTS } from './turn-events.js';
import { WORKSPACE_EVENTS } from './workspace-events.js';

export type * from './accesses.js';
export type * from './erasure.js';
export type * from './facts.js';
export type * from './origin.js';
export type { ScheduleDefinition, ScheduleOutcome, ScheduleTiming } from './schedule-events.js';
export type * from './sent-request.js';
export type * from './settings.js';
export { LINK_MODE, MOST_SKIPPED, SKIP_REASONS, type SkipReason, type WorkspaceFile } from './workspace-events.js';

/** Every type of event. What the database, the readers and the documents need to know of one is made from it. */
const CATALOGUE = { ...SESSION_EVENTS, ...TURN_EVENTS, ...CALL_EVENTS, ...WORKSPACE_EVENTS, ...SCHEDULE_EVENTS, ...ACCESS_EVENTS };

export type EventType = keyof typeof CATALOGUE;

export type EventData = { readonly [T in EventType]: (typeof CATALOGUE)[T] extends DefinedEvent<infer Data> ? Data : never };

/** A user's rating of an answer. */
export type Feedback = EventData['feedback.recorded'];

export const EVENTS: { readonly [T in EventType]: EventDefinition } = CATALOGUE;

export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

export const isEventType = (type: string): type is EventType => Object.hasOwn(EVENTS, type);

/** Who caused an event. `system` is the worker, acting on an earlier command. */
export interface Actor {
  readonly kind: 'user' | 'system';
  readonly id: string;
}

/** An event before it is appended. */
export type NewEvent = { readonly [T in EventType]: { readonly type: T; readonly data: EventData[T] } }[EventType];

/** A stored event. `seq` counts from 1 within the session, without gaps. */
export type SessionEvent = NewEvent & {
  readonly id: string;
  readonly seq: number;
  /** RFC 3339, UTC; never decreases within a session. */
  readonly time: string;
  readonly sessionId: string;
  readonly actor: Actor;
  /** Its content was erased: `data` is the skeleton that a later `content.erased` names. */
  readonly erased?: true;
};
