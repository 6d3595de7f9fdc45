import { DomainError } from '../../core/errors.js';
import type { Append, DataKey } from '../../core/ports.js';
import type { Actor, SessionEvent } from '../../core/session/events.js';
import { skeletonData } from '../../core/session/skeleton.js';
import { SCHEMA_VERSIONS } from '../../core/session/upcast.js';
import { upcast } from '../../core/session/upcast.js';
import { Prisma } from '../../generated/prisma/client.js';
import { RepeatedTexts } from './repeated-texts.js';
import { openedData } from './sealed-data.js';

/** The format of stored events; no other file depends on it. */

/** Events as parallel arrays for append_events, one item per event. */
export interface EventColumns {
  readonly ids: string[];
  readonly types: string[];
  readonly schemas: number[];
  /** The data as JSON text, stored byte for byte; `\u0000` and unpaired surrogates as escapes. */
  readonly data: string[];
  /** Of sealed events, in the notation of Postgres; null, or the member absent: the database makes them from the data. */
  readonly salts?: readonly (string | null)[];
  readonly digests?: readonly (string | null)[];
}

export function toColumns(events: Append['events']): EventColumns {
  return {
    ids: events.map((event) => event.id),
    types: events.map((event) => event.type),
    schemas: events.map((event) => SCHEMA_VERSIONS[event.type]),
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

/** The columns of one row. All but the data are one JSON text, because each further column costs as much in the client as a short event. */
export const EVENT_COLUMNS = Prisma.sql`'[' || schema_version || ',"' || event_id || '",' || seq || ',"' || type || '",'
  || (date_part('epoch', recorded_at) * 1000)::bigint || ',' || actor || CASE WHEN salt IS NULL THEN ',true]' ELSE ']' END AS head, data`;

export interface EventRow {
  readonly head: string;
  readonly data: unknown;
}

/** Parses EVENT_COLUMNS into the current event shape. Throws when an event was written by a newer build. */
export class EventReader {
  /** By their JSON: the events of a log have few actors. */
  readonly #actors = new Map<string, Actor>();
  readonly #times = new Times();
  readonly #repeated = new RepeatedTexts();

  /** `key`: of sealed events. */
  constructor(
    private readonly sessionId: string,
    private readonly key?: DataKey,
  ) {}

  /** Reads the head by position, in about a third of the time of JSON.parse. Only the actor may contain anything. */
  read({ head, data }: EventRow): SessionEvent {
    const schemaEnd = head.indexOf(',');
    const idAt = schemaEnd + 2;
    const seqAt = idAt + UUID_CHARACTERS + 2;
    const seqEnd = head.indexOf(',', seqAt);
    const typeAt = seqEnd + 2;
    const typeEnd = head.indexOf('"', typeAt);
    const timeEnd = head.indexOf(',', typeEnd + 2);
    const erased = head.endsWith(ERASED);
    const cut = head.slice(typeAt, typeEnd);
    const type = TYPES.get(cut) ?? cut;
    const seq = Number(head.slice(seqAt, seqEnd));
    const event = {
      id: head.slice(idAt, idAt + UUID_CHARACTERS),
      seq,
      type,
      time: this.#times.text(Number(head.slice(typeEnd + 2, timeEnd))),
      sessionId: this.sessionId,
      actor: this.#actor(head.slice(timeEnd + 1, erased ? -ERASED.length : -1)),
      data: upcast(type, Number(head.slice(1, schemaEnd)), openedData(data, this.key, this.sessionId, seq)),
    } as SessionEvent;
    if (event.type === 'message.appended') this.#repeated.share(event.data);
    return erased ? shown(event) : event;
  }

  #actor(json: string): Actor {
    const known = this.#actors.get(json);
    if (known) return known;
    const actor = JSON.parse(json) as Actor;
    this.#actors.set(json, actor);
    return actor;
  }
}

/** Of an erased event, whatever is stored in the place of its data. */
const shown = (event: SessionEvent): SessionEvent => ({ ...event, data: skeletonData(event.type, event.data) ?? event.data, erased: true }) as SessionEvent;

const UUID_CHARACTERS = 36;
/** The names as the one string that comparisons with literals find by identity; with a cut-out text each costs its characters. */
const TYPES = new Map(Object.keys(SCHEMA_VERSIONS).map((type) => [type, type]));
const ERASED = ',true]';

/** RFC 3339 texts of times that are often within the same second as the one before. */
class Times {
  #second = Number.NaN;
  #prefix = '';

  text(milliseconds: number): string {
    const second = Math.floor(milliseconds / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#prefix = new Date(second * 1_000).toISOString().slice(0, -4);
    }
    return `${this.#prefix}${String(milliseconds - second * 1_000).padStart(3, '0')}Z`;
  }
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
