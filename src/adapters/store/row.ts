import { DomainError } from '../../core/errors.js';
import type { Append } from '../../core/ports.js';
import type { Actor, SessionEvent } from '../../core/session/events.js';
import { SCHEMA_VERSIONS } from '../../core/session/upcast.js';
import { upcast } from '../../core/session/upcast.js';
import { Prisma } from '../../generated/prisma/client.js';

/** The only place that knows what a stored event looks like. */

/** Events as the columns of the append function: side by side, one item per event. */
export interface EventColumns {
  readonly ids: string[];
  readonly types: string[];
  readonly schemas: number[];
  /** The data as JSON text; kept byte for byte, `\u0000` and lone surrogates as escapes. */
  readonly data: string[];
}

export function toColumns(events: Append['events']): EventColumns {
  return {
    ids: events.map((event) => event.id),
    types: events.map((event) => event.type),
    schemas: events.map((event) => SCHEMA_VERSIONS[event.type]),
    data: events.map((event) => JSON.stringify(event.data)),
  };
}

/** What columns become once they are appended. Parsed from the text that was stored, so that it equals what every later reader gets. */
export function recorded(append: Append, { data }: EventColumns, firstSeq: number, time: string): readonly SessionEvent[] {
  const { sessionId, actor } = append;
  return append.events.map((event, index) => {
    const { id, type } = event;
    return { id, seq: firstSeq + index, type, time, sessionId, actor, data: JSON.parse(data[index]!) } as SessionEvent;
  });
}

/** The columns of one row; all but the data as one JSON text, since each column more costs as much to bring through the client as a short event. */
export const EVENT_COLUMNS = Prisma.sql`'[' || schema_version || ',"' || event_id || '",' || seq || ',"' || type || '",'
  || (date_part('epoch', recorded_at) * 1000)::bigint || ',' || actor || ']' AS head, data`;

export interface EventRow {
  readonly head: string;
  readonly data: unknown;
}

type Head = readonly [schemaVersion: number, id: string, seq: number, type: string, time: number, actor: Actor];

/** Reads EVENT_COLUMNS, in the shape of today. Throws when the log is newer than this build. */
export function readEvent({ head, data }: EventRow, sessionId: string): SessionEvent {
  const [schemaVersion, id, seq, type, time, actor] = JSON.parse(head) as Head;
  return { id, seq, type, time: new Date(time).toISOString(), sessionId, actor, data: upcast(type, schemaVersion, data) } as SessionEvent;
}

/** Text columns, unlike event data, hold neither U+0000 nor half a surrogate pair. `pointer` says where the client had put the text. */
export function requireStorable(text: string, pointer: string): string {
  if (text.isWellFormed() && !text.includes('\0')) return text;
  throw new DomainError('invalid_input', 'A name or title holds a character that cannot be stored; remove it.', [
    { pointer, text: 'must not contain U+0000 or an unpaired surrogate' },
  ]);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** All ids are uuids; any other text names nothing. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
