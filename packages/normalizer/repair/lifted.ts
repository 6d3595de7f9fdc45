import { isContent } from '../../protocol/message/content.js';
import type { Rule } from '../api-rules/index.js';
import type { ContentBlock } from '../../protocol/message/content.js';
import type { Message } from '../../protocol/message/message.js';
import { loose, type UnknownObject } from '../../protocol/message/unknown-json.js';
import type { TraceEntry } from '../../protocol/request/trace-entry.js';
import { changed, liftOne, payloadMessage, type Working, type WorkingMessage } from '../working-message.js';
import { ABOUT_SYSTEM_MESSAGES } from './causes.js';

type Target = NonNullable<TraceEntry['target']>;

/** What passes made of messages. */
export interface Items {
  /** The index of a message that stays as it was sent, or a message in its new form. */
  readonly items: readonly (number | UnknownObject)[];
  /** The entries about messages that are not as they were sent, each with the place of its block among the items. */
  readonly placed: (trace: readonly TraceEntry[]) => readonly TraceEntry[];
}

/** The messages of a request as the passes read them. System messages are no part of the turns: they stay where they are, unless the API refuses them there. */
export class Lifted {
  /** Of the turns, by the index of the message. */
  readonly #turns = new Map<number, WorkingMessage>();
  readonly #places: ReadonlyMap<string, number>;
  readonly #systems: readonly number[];
  #moved: ReadonlySet<number> = new Set();
  /** Whether each turn has content that can be read. */
  readonly isReadable: boolean;

  constructor(
    private readonly sent: readonly UnknownObject[],
    private readonly uuids: readonly string[],
  ) {
    this.#places = new Map(uuids.map((uuid, index) => [uuid, index]));
    const isTurn = ({ role }: UnknownObject): boolean => role === 'user' || role === 'assistant';
    this.#systems = sent.flatMap((message, index) => (isTurn(message) ? [] : [index]));
    this.isReadable = sent.every((message) => !isTurn(message) || isContent(message['content']));
    if (this.isReadable) for (const [index, message] of sent.entries()) if (isTurn(message)) this.#turns.set(index, liftOne(this.#messageAt(index)));
  }

  get messages(): readonly Message[] {
    return [...this.#turns.values()].flatMap(({ original }) => original ?? []);
  }

  nameOf(index: number): readonly string[] {
    const uuid = this.uuids[index];
    return uuid === undefined ? [] : [uuid];
  }

  namesFrom(index: number | null): ReadonlySet<string> {
    return new Set(this.uuids.slice(index ?? 0));
  }

  /** The trace of the request as it was sent. */
  identityTrace(): readonly TraceEntry[] {
    return this.sent.flatMap(({ content }, message) =>
      (Array.isArray(content) ? content : []).map((_, block) => ({
        ...{ source: { uuid: this.uuids[message]!, index: block }, target: { message, block } },
        ...({ action: 'kept', pass: 'none', reason: '' } as const),
      })),
    );
  }

  /** The turns, and as what a user says those system messages that the refusal is about. */
  turns(rules: ReadonlySet<Rule>, scope: ReadonlySet<string>): Working {
    const isAboutSystem = [...rules].some((rule) => ABOUT_SYSTEM_MESSAGES.has(rule));
    const named = this.#systems.filter((index) => scope.has(this.uuids[index]!));
    this.#moved = new Set(isAboutSystem ? (named.length > 0 ? named : this.#systems) : []);
    const all = new Map(this.#turns);
    for (const index of this.#moved) all.set(index, asReminder(this.#messageAt(index)));
    return [...all].sort(([one], [other]) => one - other).map(([, message]) => message);
  }

  items(working: Working): Items {
    const items: (number | UnknownObject)[] = [];
    const waiting = this.#systems.filter((index) => !this.#moved.has(index));
    const same = new Set<string>();
    const targets = new Map<number, Target>();
    const systemsBefore = (index: number): void => {
      while (waiting.length > 0 && waiting[0]! < index) items.push(waiting.shift()!);
    };
    for (const [at, message] of working.entries()) {
      const kept = this.#unchanged(message);
      for (const index of kept ?? []) {
        systemsBefore(index);
        items.push(index);
        same.add(this.uuids[index]!);
      }
      if (kept) continue;
      const places = message.blocks.flatMap(({ sources }) => sources.flatMap(({ uuid }) => this.#places.get(uuid) ?? []));
      if (places.length > 0) systemsBefore(Math.min(...places));
      targets.set(at, { message: items.length, block: 0 });
      items.push(payloadMessage(message) as unknown as UnknownObject);
    }
    const placed = (trace: readonly TraceEntry[]): readonly TraceEntry[] =>
      trace
        .filter(({ source, target }) => (source ? !same.has(source.uuid) : target !== null && targets.has(target.message)))
        .map((entry) => {
          const { target } = entry;
          const place = target && targets.get(target.message);
          return { ...entry, target: target && place ? { message: place.message, block: target.block } : null };
        });
    return { items: [...items, ...waiting], placed };
  }

  /** The messages that this one consists of, when it has all of their blocks as they were, in order: that they were merged changes nothing for the API. */
  #unchanged({ blocks }: WorkingMessage): readonly number[] | null {
    const indexes: number[] = [];
    for (let at = 0; at < blocks.length;) {
      const place = this.#places.get(blocks[at]!.sources[0]?.uuid ?? '');
      const whole = place === undefined ? undefined : this.#turns.get(place);
      if (!whole || place! <= (indexes.at(-1) ?? -1)) return null;
      if (!whole.blocks.every((block, index) => block.block === blocks[at + index]?.block)) return null;
      indexes.push(place!);
      at += whole.blocks.length;
    }
    return indexes.length > 0 ? indexes : null;
  }

  #messageAt(index: number): Message {
    const { role, content } = this.sent[index]!;
    const facts = { uuid: this.uuids[index]!, parentUuid: null, timestamp: '' };
    if (role !== 'assistant') return { type: 'user', ...facts, content: isContent(content) ? content : '' };
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    return { type: 'assistant', ...facts, message: { id: '', role, model: '', content: blocks, stop_reason: null } } as Message;
  }
}

function asReminder(message: Message): WorkingMessage {
  const working = liftOne(message);
  const reminder = (block: ContentBlock): ContentBlock =>
    block.type === 'text' ? { type: 'text', text: `<system-reminder>\n${String(loose(block)['text'])}\n</system-reminder>` } : block;
  return { ...working, blocks: working.blocks.map((block) => changed(block, reminder(block.block))) };
}
