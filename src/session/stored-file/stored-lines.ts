import { parseExact } from '../../../packages/protocol/message/exact-json.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import { noteInputs } from '../../../packages/protocol/message/written-input.js';
import type { EventData, SessionEvent, SessionSettings } from '../../../packages/protocol/events/events.js';
import { hasBlobReference } from '../transfer/blob-references.js';
import { ClaudeFilePlanner } from '../transfer/claude-file.js';
import type { ImportPlan, PlannerOptions } from '../transfer/plan.js';
import { textIn, uuidIn } from '../transfer/shape.js';
import { FileTail } from './file-tail.js';

/** A message of the file that is in the session. */
export interface WrittenMessage {
  /** In the session. */
  readonly uuid: string;
  readonly lines: readonly number[];
}

/** A line that the session does not have yet. */
export interface NewLine {
  readonly text: string;
  readonly value: unknown;
}

/** Characters of lines whose texts are kept, the newest ones: further lines of an answer come soon after its first. */
const KEPT_CHARACTERS = 1_000_000;

/** Of memory, for what is known of a line besides its text. */
const LINE_BYTES = 400;

/**
 * A session file that a client keeps in a session, line by line. Contains what the positions of its messages follow from, and no content but the newest lines. Lines of the log are read in their
 * order; lines that are about to be stored are added to it first, and if they are not stored then, it is of no more use.
 */
export class StoredLines {
  /** Seq of the last event that was read. */
  version = 0;
  /** By the uuid in the file. */
  readonly written = new Map<string, WrittenMessage>();
  /** The newest message of the active branch when it was last written. */
  head: string | null = null;
  /** What stood before an erasure is known no longer: what follows it continues at the head. */
  isErased = false;
  readonly #planner: ClaudeFilePlanner;
  readonly #tail: FileTail;
  /** What was planned last may be unwritten. */
  #isPending = false;
  readonly #uuids = new Set<string>();
  readonly #batches = new Set<string>();
  /** Seq of the event with each line; null: it is not stored yet. */
  readonly #places: (number | null)[] = [];
  readonly #texts = new Map<number, string>();
  #characters = 0;

  constructor(options: PlannerOptions) {
    this.#planner = new ClaudeFilePlanner(options);
    this.#tail = new FileTail(options.maxMessageBytes);
  }

  get count(): number {
    return this.#places.length;
  }

  /** Of memory, approximately. */
  get bytes(): number {
    return LINE_BYTES * (1 + this.#places.length) + 2 * this.#characters;
  }

  apply(event: SessionEvent): void {
    this.version = event.seq;
    if (event.type !== 'lines.appended') return;
    const { lines, uuids } = event.data;
    if (event.erased) this.isErased = true;
    uuids.forEach((uuid, at) => {
      if (uuid !== null && uuid !== '') this.#uuids.add(uuid);
      if (event.erased) this.#places.push(event.seq);
      else this.#add(lines[at]!, parsedLine(lines[at]!), event.seq);
    });
    this.#wrote(event.data);
  }

  /** Adds a line that is about to be stored. */
  add({ text, value }: NewLine): void {
    this.#add(text, value, null);
  }

  /** The lines that were added are stored, by events that were not read. */
  stored(events: readonly SessionEvent[], version: number): void {
    for (const { type, data, seq } of events) {
      if (type !== 'lines.appended') continue;
      const first = data.lines.length === 0 ? 0 : this.#places.indexOf(null);
      this.#places.fill(seq, first, first + data.lines.length);
      this.#wrote(data);
    }
    this.version = version;
    this.#trim();
  }

  hasBatch(batch: string): boolean {
    return this.#batches.has(batch);
  }

  hasUuid(uuid: string): boolean {
    return this.#uuids.has(uuid);
  }

  /** The messages of the lines so far; without those that are written already, where the new lines only continue the file. `completed` is called when they are written. */
  plan(defaults: SessionSettings): ImportPlan {
    const next = this.#isPending || this.isErased ? null : this.#tail.plan();
    this.#isPending = true;
    if (next !== null) return next;
    const plan = this.#planner.finish(defaults);
    this.#tail.planned(plan);
    return plan;
  }

  completed(): void {
    this.#isPending = false;
    this.#tail.written();
  }

  /** The text of a line, if it is one of the newest; otherwise the seq of its event, and which line of the file the first one there is. */
  line(number: number): { readonly text: string } | { readonly seq: number; readonly first: number } {
    const text = this.#texts.get(number);
    if (text !== undefined) return { text };
    const seq = this.#places[number - 1];
    if (seq === undefined || seq === null) throw new Error(`the file has no line ${number} that is stored`);
    return { seq, first: this.#places.indexOf(seq) + 1 };
  }

  #wrote({ batch, messages, head }: EventData['lines.appended']): void {
    if (batch !== null) this.#batches.add(batch);
    for (const { uuid, name, lines } of messages) this.written.set(name, { uuid, lines });
    this.head = head;
  }

  #add(text: string, value: unknown, seq: number | null): void {
    const number = this.#places.push(seq);
    const uuid = uuidOf(value);
    if (uuid !== null) this.#uuids.add(uuid);
    this.#texts.set(number, text);
    this.#characters += text.length;
    this.#trim();
    if (hasBlobReference(value)) {
      this.#planner.skip(number, 'names a file by its hash');
      this.#tail.skip();
      return;
    }
    this.#planner.add(number, text.length, value);
    this.#tail.add(number, text.length, value);
  }

  /** What is not stored yet can be read nowhere else. */
  #trim(): void {
    for (const [oldest, { length }] of this.#texts) {
      if (this.#characters <= KEPT_CHARACTERS || this.#places[oldest - 1] === null) return;
      this.#texts.delete(oldest);
      this.#characters -= length;
    }
  }
}

/** The uuid of a line, by which it is known when it is sent again; null: it has none. */
export function uuidOf(value: unknown): string | null {
  const { uuid } = loose(value);
  return uuidIn(uuid) ?? textIn(uuid);
}

/** As it was parsed when it came. */
export function parsedLine(text: string): unknown {
  const value = parseExact(text);
  noteInputs(value, text);
  return value;
}
