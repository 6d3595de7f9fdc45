import { type Actor, EVENT_TYPES, type SessionEvent } from '../../../packages/protocol/events/events.js';
import { skeletonData } from '../../../packages/protocol/events/skeleton.js';
import { upcast } from '../../../packages/protocol/events/upcast.js';
import { eventIdOf, type LogRow, microsecondsOf, schemaOf } from './log-row.js';
import { RepeatedTexts } from './repeated-texts.js';

/** Reads rows of a log into the current event shape. Throws when an event was written by a newer build. */
export class EventReader {
  /** By their JSON: the events of a log have few actors. */
  readonly #actors = new Map<string, Actor>();
  readonly #times = new Times();
  readonly #repeated = new RepeatedTexts();

  constructor(private readonly sessionId: string) {}

  read(row: LogRow): SessionEvent {
    const type = TYPES.get(row.type) ?? row.type;
    const event = {
      id: eventIdOf(row),
      seq: row.seq,
      type,
      time: this.#times.text(EPOCH_MS + microsecondsOf(row) / 1_000),
      sessionId: this.sessionId,
      actor: this.#actor(row.actor),
      data: upcast(type, schemaOf(row), JSON.parse(row.data)),
    } as SessionEvent;
    if (event.type === 'message.appended') this.#repeated.share(event.data);
    return row.salt === null ? shown(event) : event;
  }

  #actor(json: string): Actor {
    const known = this.#actors.get(json);
    if (known) return known;
    const actor = JSON.parse(json) as Actor;
    this.#actors.set(json, actor);
    return actor;
  }
}

/** Of an erased event, whatever is stored instead of its data. */
const shown = (event: SessionEvent): SessionEvent => ({ ...event, data: skeletonData(event.type, event.data) ?? event.data, erased: true }) as SessionEvent;

/** 2000-01-01, the epoch of Postgres. */
const EPOCH_MS = Date.UTC(2000);
/** The names as the one string that comparisons with literals find by identity; with a cut-out text each costs its characters. */
const TYPES = new Map<string, string>(EVENT_TYPES.map((type) => [type, type]));

/** RFC 3339 texts of times that are often within the same second as the one before. Each is one text that shares nothing with another, as `uuidText` of log-row.ts says of ids. */
class Times {
  #second = Number.NaN;
  #text = Buffer.alloc(0);

  text(milliseconds: number): string {
    const second = Math.floor(milliseconds / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = Buffer.from(new Date(second * 1_000).toISOString(), 'latin1');
    }
    const rest = milliseconds - second * 1_000;
    const at = this.#text.length - '000Z'.length;
    this.#text[at] = ZERO + Math.floor(rest / 100);
    this.#text[at + 1] = ZERO + (Math.floor(rest / 10) % 10);
    this.#text[at + 2] = ZERO + (rest % 10);
    return this.#text.toString('latin1');
  }
}

const ZERO = 0x30;
