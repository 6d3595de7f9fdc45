import { type Event, EVENTS } from './api.js';

/** Whether messages or state are the same after an event of this type. False also for a type that this client does not know. */
export function leaves(type: Event['type'], what: 'messages' | 'state'): boolean {
  return isKnownEvent(type) && !EVENTS[type].includes(what);
}

/** Whether this version of the client knows the type; a newer server may have others. */
export const isKnownEvent = (type: string): type is keyof typeof EVENTS => Object.hasOwn(EVENTS, type);
