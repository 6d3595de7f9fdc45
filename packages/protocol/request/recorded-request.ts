import type { Base64Of } from '../message/block-sources.js';
import { MissingBlob } from '../message/block-sources.js';
import type { Message } from '../message/message.js';
import { contentBlocksOf } from '../message/message-content.js';
import { type BodyFrame, bodyText, markedText, NO_TOOLS } from './body-text.js';
import { resolvedParts } from './exact-body.js';
import type { Continued, ReceivedPart, SentBlock, SentBody, SentMessage, SentNote, SentText, StoredBlock, ThreadRecord } from './sent-body.js';
import { filesOfBlock, storedBlockText } from './stored-block.js';
import { KEPT, type TraceEntry } from './trace-entry.js';

/** A request cannot be rebuilt from what the log says of it. */
export class BrokenRecord extends Error {
  override readonly name = 'BrokenRecord';
}

/** Why a request cannot be rebuilt; null: the error is about something else. A record that has another form than this build writes was not written by one. */
export function faultOf(error: unknown): string | null {
  if (error instanceof BrokenRecord || error instanceof MissingBlob) return error.message;
  const isForm = error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
  return isForm ? 'What is recorded of the request has not the form of a body.' : null;
}

/** What a request was recorded from. */
export interface RecordedIn {
  /** The bodies of the requests of the same log, by request. Null: its content was erased. */
  readonly body: (requestId: string) => SentBody | null | undefined;
  /** A stored message of the session by its uuid. */
  readonly message: (uuid: string) => Message | undefined;
}

/** An item of a list, and the link of the chain that recorded it. */
interface Link<Item> {
  readonly item: Item;
  readonly at: number;
}

/**
 * A request as the log has it. The body is put together from what was recorded: no pass, limit or setting takes part, so that it is what was sent, whatever this build
 * would send. Throws BrokenRecord, which names the request and the place, when something is missing.
 */
export class RecordedRequest {
  /** The bodies from the one that stands for itself to the request's own. */
  readonly #chain: readonly SentBody[];
  readonly #messages: readonly Link<SentMessage>[];
  readonly #frame: BodyFrame;
  /** The text that a client sent; null: the server made the body. */
  readonly #exact: readonly (string | SentText)[] | null;
  /** What it was made from. */
  readonly conversation: readonly Message[];

  constructor(
    private readonly requestId: string,
    private readonly log: RecordedIn,
  ) {
    this.#chain = this.#chainOf(requestId);
    this.#messages = this.#continued(({ messages }) => messages);
    this.conversation = this.#continued(({ conversation }) => conversation).map(({ item }) => this.#message(item));
    const { options, markers, exact } = this.#own;
    this.#exact = exact === undefined ? null : resolvedParts(this.#chain.map((body) => body.exact ?? []));
    if (exact !== undefined && this.#exact === null) throw this.#broken('it refers to a part that the request before it does not have');
    this.#frame = { options, markers, system: this.#last(({ system }) => system) ?? '', tools: this.#last(({ tools }) => tools) ?? NO_TOOLS };
  }

  get changedOptions(): NonNullable<SentBody['changedOptions']> {
    return this.#own.changedOptions ?? [];
  }

  /** The text of the system prompt, and the tools as JSON, both without cache markers. */
  get system(): string {
    return this.#frame.system;
  }

  get tools(): string {
    return this.#frame.tools;
  }

  /** Hashes of the files in the body. */
  get files(): readonly string[] {
    const received = (this.#own.thread?.received ?? []).filter((part) => typeof part === 'string' || 'text' in part);
    const found = new Set<string>([...(this.#exact ?? []), ...received].flatMap(filesOfText));
    for (const { item, at } of this.#messages) {
      for (const block of item.content) {
        if (typeof block === 'string') continue;
        for (const file of 'text' in block ? filesOfText(block) : filesOfBlock(...this.#stored(block, at))) found.add(file);
      }
    }
    return [...found];
  }

  /** The messages as JSON, without cache markers: of each its role and its blocks. Throws MissingBlob. */
  messageTexts(base64Of: Base64Of): readonly MessageText[] {
    return this.#messages.map(({ item: { role, content }, at }) => ({ role, blocks: content.map((block) => this.#blockText(block, at, base64Of)) }));
  }

  /** How a client's request is part of a message thread, with the body as it came; null: it is of none. Throws MissingBlob. */
  thread(base64Of: Base64Of): ReceivedThread | null {
    const { thread } = this.#own;
    if (thread === undefined) return null;
    const { type, previous, of, received } = thread;
    const written = (part: ReceivedPart): string => {
      if (typeof part === 'string' || 'text' in part) return writtenText(part, base64Of);
      const parts = this.#exact?.slice(part.from, part.from + part.count) ?? [];
      if (parts.length !== part.count) throw this.#broken('what the client sent refers to a part that the body does not have');
      return parts
        .map((one) => writtenText(one, base64Of))
        .join('')
        .slice(part.skip);
    };
    return { type, previous, of, received: received.map(written).join('') };
  }

  /** Whether a client made the body. */
  get isExact(): boolean {
    return this.#exact !== null;
  }

  /** The body as it was sent. Throws MissingBlob. */
  body(base64Of: Base64Of): string {
    if (this.#exact !== null) return this.#exact.map((part) => writtenText(part, base64Of)).join('');
    const texts = this.messageTexts(base64Of).map(messageText);
    const { markers } = this.#frame;
    for (const index of markers?.messages ?? []) {
      const text = texts[index];
      if (text === undefined) throw this.#broken(`it has no message ${index}, which is said to have a cache marker`);
      texts[index] = markedText(text, markers!.marker);
    }
    return bodyText(this.#frame, texts);
  }

  /** What the passes did, as it was recorded: every stored block in the order of the conversation, then added ones. */
  get trace(): readonly TraceEntry[] {
    if (this.#exact !== null) return this.#ofClient();
    const groups: { readonly place: number; readonly entry: TraceEntry }[][] = [];
    const noted = new Set<string>();
    let limits = { from: Infinity, keep: Infinity };
    for (let at = this.#chain.length - 1; at >= 0; at -= 1) {
      const { trace, messages } = this.#chain[at]!;
      const own: (typeof groups)[number] = [];
      for (const note of trace.notes) {
        for (const [message = null, block = null, targetMessage = null, targetBlock = null] of note.blocks) {
          const isCurrent = (message === null || message < limits.from) && (targetMessage === null || targetMessage < limits.keep);
          if (!isCurrent) continue;
          const source = message === null || block === null ? null : { uuid: this.#uuidAt(message, at), index: block };
          const target = targetMessage === null || targetBlock === null ? null : { message: targetMessage, block: targetBlock };
          if (source) noted.add(keyOf(source.uuid, source.index));
          own.push({ place: message === null ? Infinity : message, entry: entryOf(note, source, target) });
        }
      }
      groups.push(own);
      limits = { from: Math.min(limits.from, trace.from), keep: Math.min(limits.keep, messages.keep) };
    }
    const entries = groups.toReversed().flat();
    this.#messages.forEach(({ item: { content }, at }, message) =>
      content.forEach((sent, block) => {
        if (typeof sent === 'string' || 'text' in sent) return;
        const [place = 0, index = 0] = sent.of;
        const uuid = this.#uuidAt(place, at);
        if (!noted.has(keyOf(uuid, index))) entries.push({ place, entry: { source: { uuid, index }, ...KEPT, target: { message, block } } });
      }),
    );
    return entries
      .sort((one, other) => byPlace(one.place, other.place) || (one.entry.source?.index ?? 0) - (other.entry.source?.index ?? 0))
      .map(({ entry }) => entry);
  }

  /** Of a body that a client made: each of its messages is a stored one, but for those that were repaired. */
  #ofClient(): readonly TraceEntry[] {
    const { edits = [], trace } = this.#own;
    const entries: TraceEntry[] = [];
    let next = 0;
    let moved = 0;
    for (const [place, { uuid, ...message }] of this.conversation.entries()) {
      for (let edit = edits[next]; edit !== undefined && edit.from + edit.count <= place; edit = edits[next]) {
        moved += edit.sent - edit.count;
        next += 1;
      }
      if (place >= (edits[next]?.from ?? Infinity)) continue;
      const blocks = contentBlocksOf({ uuid, ...message } as Message);
      blocks.forEach((_, index) => entries.push({ source: { uuid, index }, ...KEPT, target: { message: place + moved, block: index } }));
    }
    for (const note of trace.notes)
      for (const [message = null, index = null, at = null, block = null] of note.blocks) {
        const source = message === null || index === null ? null : { uuid: this.#uuidAt(message, this.#chain.length - 1), index };
        entries.push(entryOf(note, source, at === null || block === null ? null : { message: at, block }));
      }
    return entries;
  }

  get #own(): SentBody {
    return this.#chain.at(-1)!;
  }

  #chainOf(requestId: string): readonly SentBody[] {
    const chain: SentBody[] = [];
    const seen = new Set<string>();
    for (let id: string | null = requestId; id !== null;) {
      const body: SentBody | null | undefined = this.log.body(id);
      if (!body || seen.has(id)) throw this.#broken(`the body of request ${id} is ${body === null ? 'erased' : body ? 'its own base' : 'missing'}`);
      seen.add(id);
      chain.push(body);
      id = body.base;
    }
    return chain.reverse();
  }

  /** The items of a list that are in force, each with the link that recorded it. */
  #continued<Item>(of: (body: SentBody) => Continued<Item>): readonly Link<Item>[] {
    const own = of(this.#own);
    const found = new Array<Link<Item>>(own.keep + own.added.length);
    let missing = found.length;
    for (let at = this.#chain.length - 1; at >= 0; at -= 1) {
      const { keep, added } = of(this.#chain[at]!);
      if (keep + added.length < missing) break;
      for (; missing > keep; missing -= 1) found[missing - 1] = { item: added[missing - 1 - keep]!, at };
    }
    if (missing > 0) throw this.#broken(`item ${missing - 1} of a list is said to be that of an earlier request, which has none there`);
    return found;
  }

  #last<Value>(of: (body: SentBody) => Value | undefined): Value | undefined {
    const body = this.#chain.findLast((one) => of(one) !== undefined);
    return body && of(body);
  }

  /** An entry of the conversation of the link. */
  #entryAt(place: number, at: number): string | Message {
    let link = at;
    while (link > 0 && place < this.#chain[link]!.conversation.keep) link -= 1;
    const { keep, added } = this.#chain[link]!.conversation;
    const entry = added[place - keep];
    if (entry === undefined) throw this.#broken(`its conversation has no message ${place}`);
    return entry;
  }

  #uuidAt(place: number, at: number): string {
    const entry = this.#entryAt(place, at);
    return typeof entry === 'string' ? entry : entry.uuid;
  }

  #message(entry: string | Message): Message {
    const message = typeof entry === 'string' ? this.log.message(entry) : entry;
    if (!message) throw this.#broken(`the message ${String(entry)} is missing`);
    return message;
  }

  #stored({ of: [place = -1, index = -1] }: StoredBlock, at: number): [Message, number] {
    return [this.#message(this.#entryAt(place, at)), index];
  }

  #blockText(block: SentBlock, at: number, base64Of: Base64Of): string {
    if (typeof block === 'string' || 'text' in block) return writtenText(block, base64Of);
    const [message, index] = this.#stored(block, at);
    const text = storedBlockText(message, index, block.without ?? [], base64Of);
    if (text === null) throw this.#broken(`the message ${message.uuid} has no block ${index}`);
    return text;
  }

  #broken(text: string): BrokenRecord {
    return new BrokenRecord(`The request ${this.requestId} cannot be rebuilt: ${text}.`);
  }
}

/** How a request is part of a message thread. */
export interface ReceivedThread {
  readonly type: ThreadRecord['type'];
  /** The id of the answer that it continues; null: it begins a thread. */
  readonly previous: string | null;
  /** The request that this answer has answered. */
  readonly of: string | null;
  /** The body as the client sent it. */
  readonly received: string;
}

/** A message of a request as JSON, block by block. */
export interface MessageText {
  readonly role: SentMessage['role'];
  readonly blocks: readonly string[];
}

export const messageText = ({ role, blocks }: MessageText): string => `{"role":"${role}","content":[${blocks.join(',')}]}`;

const filesOfText = (part: string | SentText): readonly string[] =>
  typeof part === 'string' ? [] : part.text.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.file]));

const writtenText = (part: string | SentText, base64Of: Base64Of): string =>
  typeof part === 'string' ? part : part.text.map((piece) => (typeof piece === 'string' ? piece : base64(piece.file, base64Of))).join('');

function base64(file: string, base64Of: Base64Of): string {
  const text = base64Of(file);
  if (text === undefined) throw new MissingBlob(file);
  return text;
}

const keyOf = (uuid: string, index: number): string => `${uuid}/${index}`;

const byPlace = (one: number, other: number): number => (one === other ? 0 : one - other);

const entryOf = ({ action, pass, reason }: SentNote, source: TraceEntry['source'], target: TraceEntry['target']): TraceEntry => ({
  source,
  action,
  pass,
  reason,
  target,
});
