import { DomainError } from '../errors.js';
import { EVENTS, type EventType, isEventType } from './events.js';

/** The schema version that data of this type is written with. */
export const versionOf = (type: EventType): number => 1 + stepsOf(type).length;

/**
 * Converts an event's data from the schema version it was written with to the current one, one step per version; stored data is never rewritten. Throws
 * `server_outdated` for types and versions that are newer than this build.
 */
export function upcast(type: string, schemaVersion: number, data: unknown): unknown {
  if (!isEventType(type) || schemaVersion > versionOf(type)) throw outdated(type, schemaVersion);
  return stepsOf(type)
    .slice(schemaVersion - 1)
    .reduce((converted, step) => step(converted), data);
}

const stepsOf = (type: EventType) => EVENTS[type].upcasts ?? [];

/** During a rolling upgrade, a newer server may already write events that this one cannot read. Another attempt may reach a newer server. */
function outdated(type: string, schemaVersion: number): DomainError {
  const message = `The log of this session contains ${type} in schema version ${schemaVersion}, which this server does not support; retry, or upgrade the server.`;
  return new DomainError('server_outdated', message, [], { retryAfter: 5 });
}
