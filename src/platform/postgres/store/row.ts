import { DomainError } from '../../../../packages/protocol/errors.js';
import type { Append } from '../../../ports/index.js';
import type { SessionEvent } from '../../../../packages/protocol/events/events.js';
import { versionOf } from '../../../../packages/protocol/events/upcast.js';

/** Events as they are written; see log-row.ts for how they are read. */

/** Events as parallel arrays for append_events, one item per event. */
export interface EventColumns {
  readonly ids: string[];
  readonly types: string[];
  readonly schemas: number[];
  /** The data as JSON text, stored byte for byte; `\u0000` and unpaired surrogates as escapes. */
  readonly data: string[];
  /** Of encrypted events, in the notation of Postgres; null, or the member absent: the database makes them from the data. */
  readonly salts?: readonly (string | null)[];
  readonly digests?: readonly (string | null)[];
}

export function toColumns(events: Append['events']): EventColumns {
  return {
    ids: events.map((event) => event.id),
    types: events.map((event) => event.type),
    schemas: events.map((event) => versionOf(event.type)),
    data: events.map((event) => JSON.stringify(event.data)),
  };
}

/** The events as stored. Parsed from the stored text, so that they equal what every later reader gets. */
export function recorded(append: Append, { data }: EventColumns, firstSeq: number, time: string): readonly SessionEvent[] {
  const { sessionId, actor } = append;
  return append.events.map((event, index) => {
    const { id, type } = event;
    return { id, seq: firstSeq + index, type, time, sessionId, actor, data: JSON.parse(data[index]!) } as SessionEvent;
  });
}

/** Rejects text that a text column cannot store: U+0000 and unpaired surrogates. `pointer`: the place of the text in the request. */
export function requireStorable(text: string, pointer: string): string {
  if (text.isWellFormed() && !text.includes('\0')) return text;
  throw new DomainError('invalid_input', 'A name or title contains a character that cannot be stored; remove it.', [
    { pointer, text: 'must not contain U+0000 or an unpaired surrogate' },
  ]);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** All ids are UUIDs; any other text is an unknown id. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
