import { SCHEMA_VERSIONS, type EventType } from './events.js';

/**
 * Lifts an event's data from the version it was written with to today's, one pure step per version. Nothing is ever written back.
 * There is one version of everything so far; the first change of a shape adds its step here.
 */
export function upcast(type: string, schemaVersion: number, data: unknown): unknown {
  const current = SCHEMA_VERSIONS[type as EventType];
  if (current === undefined) throw new Error(`the log holds an event of type ${type}, which this build does not know: it is older than the log`);
  if (schemaVersion > current) throw new Error(`the log holds ${type} in version ${schemaVersion}, this build knows ${current}: it is older than the log`);
  return data;
}
