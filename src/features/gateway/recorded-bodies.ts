import { hash } from 'node:crypto';
import type { ReceivedPart, SentBody, SentText, ThreadRecord } from '../../../packages/protocol/request/sent-body.js';
import { exactParts, partsOfBody, SMALLEST_FILE, withoutFiles } from '../../../packages/protocol/request/exact-body.js';
import { mapInlineBytes } from '../../../packages/normalizer/media/out-of-line.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import { Pace } from '../../engine/queries/pace.js';
import type { Found } from './find-session.js';
import { bodyParts, shortDigest } from './body-parts.js';
import type { SentConversation, SentMessage, SentThread } from './sent-conversation.js';

/** What a later body of the session can refer to. */
interface Base {
  readonly requestId: string;
  readonly conversation: readonly string[];
  readonly digests: readonly string[];
  /** An erasure may have taken it. */
  readonly erasures: number;
}

/** Sessions of which the last body is known. Of others the next body stands for itself. */
const KNOWN = 1_000;

/** Records bodies of clients: text that an earlier request of the session has is referred to, so that the log grows with the conversation and not with its square. */
export class RecordedBodies {
  readonly #bases = new Map<string, Base>();

  /** `keep` is to be called once the record is in the log. `conversation`: uuids of the messages of the request; `text`: what goes out in place of the client's body. Takes time linear in the body, and lets others run. */
  async record(
    requestId: string,
    { sessionId, erasures, lastRequest }: Found,
    { parts: ofClient, messages, thread }: Pick<SentConversation, 'parts' | 'messages' | 'thread'>,
    conversation: readonly string[],
    text: string | null = null,
  ): Promise<Recorded> {
    const earlier = this.#bases.get(sessionId);
    // A record continues the last one of its session, which another process may have made.
    const base = earlier?.erasures === erasures && earlier.requestId === lastRequest ? earlier : undefined;
    const pace = new Pace();
    const { parts, digests } = text === null ? ofClient : await bodyParts(text, pace);
    const ranges = exactParts(digests, base?.digests ?? [], (index) => parts[index]!);
    const exact = await withoutStored(ranges, messages, pace);
    const same = sameItems(base?.conversation ?? [], conversation);
    const body: SentBody = {
      base: base?.requestId ?? null,
      conversation: { keep: same, added: conversation.slice(same) },
      messages: { keep: 0, added: [] },
      options: '',
      system: '',
      tools: '[]',
      markers: null,
      trace: { from: 0, notes: [] },
      exact,
      ...(thread ? { thread: await threadRecord(thread, digests, messages, pace) } : {}),
    };
    return { body, keep: () => this.#keep(sessionId, { requestId, conversation, digests, erasures }) };
  }

  #keep(sessionId: string, base: Base): void {
    this.#bases.delete(sessionId);
    this.#bases.set(sessionId, base);
    const oldest = this.#bases.size > KNOWN ? this.#bases.keys().next().value : undefined;
    if (oldest !== undefined) this.#bases.delete(oldest);
  }
}

export interface Recorded {
  readonly body: SentBody;
  readonly keep: () => void;
}

/** `digests`: of the parts of the body that is sent. */
async function threadRecord(thread: SentThread, digests: readonly string[], messages: readonly SentMessage[], pace: Pace): Promise<ThreadRecord> {
  const { type, received } = thread;
  const places = new Map(digests.map((digest, index) => [digest, index]));
  const parts: Exclude<ReceivedPart, SentText>[] = [];
  for (const part of partsOfBody(received)) {
    const digest = shortDigest(part);
    const last = parts.at(-1);
    const next = typeof last === 'object' ? last.from + last.count : -1;
    if (typeof last === 'object' && digests[next] === digest) parts[parts.length - 1] = { ...last, count: last.count + 1 };
    else {
      // The first message of the client follows others in the body: a comma comes before it.
      const [whole, later] = [places.get(digest), places.get(shortDigest(`,${part}`))];
      if (whole !== undefined) parts.push({ from: whole, count: 1, skip: 0 });
      else parts.push(later === undefined ? part : { from: later, count: 1, skip: 1 });
    }
    await pace.after(part.length);
  }
  const [previous, of] = type === 'continue' ? [thread.previous, thread.of] : [null, null];
  return { type, previous, of, received: await withoutStored(parts, messages, pace) };
}

/** What is new, with references to the files of the messages, which are stored by their hash. What is not exactly base64 stays text. */
async function withoutStored<Range extends object>(
  parts: readonly (string | Range)[],
  messages: readonly SentMessage[],
  pace: Pace,
): Promise<readonly (string | SentText | Range)[]> {
  if (!parts.some((part) => typeof part === 'string' && part.length > SMALLEST_FILE)) return parts;
  const files = await filesIn(messages, pace);
  const fileOf = (written: string): string | null => {
    const bytes = bytesOf(written);
    const file = bytes && sha256(bytes);
    return file !== null && files.has(file) ? file : null;
  };
  const exact: (string | SentText | Range)[] = [];
  for (const part of parts) {
    exact.push(typeof part === 'string' && files.size > 0 ? withoutFiles(part, fileOf) : part);
    await pace.after(typeof part === 'string' ? part.length : 0);
  }
  return exact;
}

/** Hashes, since strings of this length are poor keys: a map compares those of the same length with each other. */
async function filesIn(messages: readonly SentMessage[], pace: Pace): Promise<ReadonlySet<string>> {
  const files = new Set<string>();
  for (const { value } of messages) {
    let characters = 0;
    mapInlineBytes(value as Json, ({ base64 }) => {
      const bytes = base64.length < SMALLEST_FILE ? null : bytesOf(base64);
      if (bytes !== null) files.add(sha256(bytes));
      characters += base64.length;
      return null;
    });
    await pace.after(characters);
  }
  return files;
}

/** Null: encoded again they would not be this text. */
function bytesOf(base64: string): Buffer | null {
  const bytes = base64.length % 4 === 0 ? Buffer.from(base64, 'base64') : null;
  return bytes?.toString('base64') === base64 ? bytes : null;
}

const sha256 = (bytes: Buffer): string => hash('sha256', bytes);

/** How many items two lists begin with in common. */
export function sameItems(earlier: readonly string[], later: readonly string[]): number {
  let same = 0;
  while (same < earlier.length && earlier[same] === later[same]) same += 1;
  return same;
}
