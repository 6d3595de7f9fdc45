import type { ContentBlock } from '../protocol/message/content.js';
import { contentBlocksOf } from '../protocol/message/message-content.js';
import type { Message } from '../protocol/message/message.js';
import { blockText } from '../protocol/message/written-input.js';
import type { PrefixDigests } from '../protocol/events/events.js';
import type { SentBlock, SentBody, SentText, StoredBlock } from '../protocol/request/sent-body.js';
import type { BuiltPayload, PayloadInput } from './build-payload.js';
import { isAboutEarlier } from './continue-payload.js';
import { explainTail, traceOf } from './explain-tail.js';
import type { FileTexts } from './embedded-messages.js';
import { sharedMessages } from './prefix.js';
import { isAdded, roleOf, type WorkingBlock } from './working-message.js';

/** The request that the next one continues. */
export interface RecordBase {
  readonly requestId: string;
  /** Uuids of the messages that it was made from. */
  readonly conversation: readonly string[];
  readonly digests: PrefixDigests;
}

/** The input of a payload, and how its messages are stored. */
export interface RecordedInput {
  readonly input: PayloadInput;
  /** The messages of the input with references to files, as they are stored. */
  readonly stored: readonly Message[];
  readonly filesOf: (message: Message) => FileTexts;
  /** Whether a message of the input is in the log; others are recorded themselves. */
  readonly isStored: (uuid: string) => boolean;
}

/** What `request.sent` says of the body. Linear in what is new since the base, but for the comparison of both conversations. */
export function recordBody(view: BuiltPayload, recorded: RecordedInput, base: RecordBase | null): SentBody {
  const { input, stored } = recorded;
  const { frame, working } = view.parts;
  const same = base === null ? 0 : sameMessages(base.conversation, stored);
  const keep = base === null ? 0 : keptMessages(base, same, view, stored);
  const tail = working.slice(keep);
  const places = new Places(
    stored,
    tail.flatMap(({ blocks }) => blocks.flatMap(({ sources }) => sources.filter((source) => !isAdded(source)).map(({ uuid }) => uuid))),
  );
  // What was taken out or added may be the reason for what was done with messages before it.
  const isOnlyMore = same === base?.conversation.length && !stored.slice(same).some(isAboutEarlier);
  const from = isOnlyMore ? Math.min(same, places.first) : 0;
  const referred = new Set<string>();
  const blockOf = (block: WorkingBlock): SentBlock => {
    const [source] = block.sources;
    const place = source && !isAdded(source) ? places.of(source.uuid) : undefined;
    if (source && place !== undefined) {
      const reference = referenceTo(block.block, contentBlocksOf(input.messages[place]!)[source.index], [place, source.index]);
      if (reference) {
        referred.add(`${place}/${source.index}`);
        return reference;
      }
    }
    return literal(block, (uuid) => recorded.filesOf(stored[places.of(uuid) ?? -1]!));
  };
  const messages = tail.map(({ kind, blocks }) => ({ role: roleOf(kind), content: blocks.map(blockOf) }));
  const trace = view.parts.continued && view.parts.continued.keep <= keep ? traceOf(view.parts.continued, input, keep) : explainTail(view, input, from, keep);
  const notes = trace.notes((place, index) => referred.has(`${place}/${index}`));
  const isSame = (part: 'system' | 'tools'): boolean => base !== null && base.digests[part] === view.prefixDigests[part];
  return {
    base: base?.requestId ?? null,
    conversation: { keep: same, added: stored.slice(same).map((message) => (recorded.isStored(message.uuid) ? message.uuid : message)) },
    messages: { keep, added: messages },
    options: frame.options,
    ...(isSame('system') ? {} : { system: frame.system }),
    ...(isSame('tools') ? {} : { tools: frame.tools }),
    markers: frame.markers,
    trace: { from: trace.from, notes },
    ...(view.changedOptions.length === 0 ? {} : { changedOptions: view.changedOptions }),
  };
}

function sameMessages(earlier: readonly string[], messages: readonly Message[]): number {
  let same = 0;
  while (same < earlier.length && earlier[same] === messages[same]?.uuid) same += 1;
  return same;
}

/** The leading messages of the payload that are those of the base, and made from the same stored messages: after a rewind, another message may have the same text. */
function keptMessages({ conversation, digests }: RecordBase, same: number, { prefixDigests, parts }: BuiltPayload, stored: readonly Message[]): number {
  const keep = sharedMessages(digests, prefixDigests);
  if (same === conversation.length) return keep;
  const others = new Set(stored.slice(same).map(({ uuid }) => uuid));
  const first = parts.working.findIndex(({ blocks }) => blocks.some(({ sources }) => sources.some(({ uuid }) => others.has(uuid))));
  return first < 0 ? keep : Math.min(first, keep);
}

/** Where messages are in the conversation, looked for from its end. */
class Places {
  readonly #places = new Map<string, number>();
  /** The first of them; the end of the conversation when there is none. */
  readonly first: number;

  constructor(messages: readonly Message[], uuids: readonly string[]) {
    const wanted = new Set(uuids);
    let at = messages.length;
    while (wanted.size > 0 && at > 0) {
      at -= 1;
      const { uuid } = messages[at]!;
      this.#places.set(uuid, at);
      wanted.delete(uuid);
    }
    this.first = at;
  }

  of(uuid: string): number | undefined {
    return this.#places.get(uuid);
  }
}

/** Null when the block has something that the stored one has not. */
function referenceTo(block: ContentBlock, stored: ContentBlock | undefined, of: readonly number[]): StoredBlock | null {
  if (stored === undefined) return null;
  if (block === stored) return { of };
  const sent = Object.entries(block).filter(([, value]) => value !== undefined);
  const all = Object.entries(stored).filter(([, value]) => value !== undefined);
  const left = all.filter(([name]) => Object.hasOwn(block, name) && block[name as keyof ContentBlock] !== undefined);
  const isPart = left.length === sent.length && left.every(([name, value], index) => sent[index]![0] === name && sent[index]![1] === value);
  if (!isPart) return null;
  return left.length === all.length ? { of } : { of, without: all.flatMap(([name]) => (left.some(([kept]) => kept === name) ? [] : [name])) };
}

/** The block as JSON. Bytes of files that a stored message refers to are referred to here, too. */
function literal({ block, sources }: WorkingBlock, filesOf: (uuid: string) => FileTexts): string | SentText {
  let parts: SentText['text'] = [blockText(block)];
  for (const uuid of new Set(sources.filter((source) => !isAdded(source)).map((source) => source.uuid))) {
    for (const [file, base64] of filesOf(uuid))
      if (base64 !== '') parts = parts.flatMap((part) => (typeof part === 'string' ? cut(part, base64, file) : [part]));
  }
  const [first] = parts;
  return parts.length === 1 && typeof first === 'string' ? first : { text: parts };
}

function cut(text: string, base64: string, file: string): SentText['text'] {
  return text.split(base64).flatMap((part, index) => (index === 0 ? [part] : [{ file }, part]));
}
