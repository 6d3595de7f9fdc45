import { DomainError } from '../errors.js';
import type { EventType } from './events.js';

/** Current schema version of each event type's data; older versions are converted on read by `upcast`. */
export const SCHEMA_VERSIONS: { readonly [T in EventType]: number } = {
  'session.created': 1,
  'import.retained': 1,
  'session.imported': 1,
  'session.configured': 1,
  'session.titled': 1,
  'session.closed': 1,
  'session.reopened': 1,
  'prompt.submitted': 1,
  'prompt.queued': 1,
  'prompt.withdrawn': 1,
  'turn.started': 1,
  'turn.completed': 1,
  'turn.interrupt_requested': 1,
  'turn.interrupted': 1,
  'turn.failed': 1,
  'turn.prepared': 1,
  'turn.waiting': 1,
  'turn.resumed': 1,
  'session.tools_changed': 1,
  'tool.decided': 1,
  'tool.started': 1,
  'tool.completed': 1,
  'message.appended': 1,
  'hook.completed': 1,
  'request.sent': 1,
  'request.completed': 1,
  'request.failed': 1,
  'session.forked': 1,
  'session.compacted': 1,
  'session.rewound': 1,
  'session.restored': 1,
  'feedback.recorded': 1,
  'content.erased': 1,
  'hold.placed': 1,
  'hold.released': 1,
  'session.granted': 1,
  'session.grant_revoked': 1,
  'glass.broken': 1,
  'session.accessed': 1,
};

/**
 * Converts an event's data from the schema version it was written with to the current one, one pure step per version; stored data is never rewritten. Every type is
 * still at version 1; the first change of a shape adds its step here. Throws `server_outdated` for types and versions that are newer than this build.
 */
export function upcast(type: string, schemaVersion: number, data: unknown): unknown {
  const current = SCHEMA_VERSIONS[type as EventType];
  if (current === undefined || schemaVersion > current) throw outdated(type, schemaVersion);
  return data;
}

/** During a rolling upgrade, a newer server may already write events that this one cannot read. Another attempt may reach a newer server. */
function outdated(type: string, schemaVersion: number): DomainError {
  const message = `The log of this session contains ${type} in schema version ${schemaVersion}, which this server does not support; retry, or upgrade the server.`;
  return new DomainError('server_outdated', message, [], { retryAfter: 5 });
}
