import type { SentBody } from '../../../packages/protocol/request/sent-body.js';
import { exactParts } from '../../../packages/protocol/request/exact-body.js';
import { mapInlineBytes } from '../../../packages/normalizer/media/out-of-line.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import type { SentText } from '../../../packages/protocol/request/sent-body.js';
import type { Found } from './find-session.js';
import { digestedParts, hashOfBase64, type SentConversation } from './sent-conversation.js';

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

  /** `keep` is to be called once the record is in the log. `conversation`: uuids of the messages of the request. */
  record(requestId: string, { sessionId, erasures, lastRequest }: Found, { text, messages }: SentConversation, conversation: readonly string[]): Recorded {
    const earlier = this.#bases.get(sessionId);
    // A record continues the last one of its session, which another process may have made.
    const base = earlier?.erasures === erasures && earlier.requestId === lastRequest ? earlier : undefined;
    const { parts, digests } = digestedParts(text);
    let files: readonly Named[] | null = null;
    const exact = exactParts(digests, base?.digests ?? [], (index) => withoutBytes(parts[index]!, (files ??= filesIn(messages.map(({ value }) => value)))));
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

interface Named {
  readonly base64: string;
  readonly file: string;
}

/** The files of the messages that are stored by their hash. What is not exactly base64 is stored as text. */
function filesIn(messages: readonly unknown[]): readonly Named[] {
  const found = new Map<string, string>();
  mapInlineBytes(messages as Json, ({ base64 }) => {
    if (base64 !== '' && Buffer.from(base64, 'base64').toString('base64') === base64) found.set(base64, hashOfBase64(base64));
    return null;
  });
  return [...found].map(([base64, file]) => ({ base64, file }));
}

function withoutBytes(part: string, files: readonly Named[]): string | SentText {
  let pieces: SentText['text'] = [part];
  for (const { base64, file } of files)
    pieces = pieces.flatMap((piece) => (typeof piece === 'string' && piece.includes(base64) ? cut(piece, base64, file) : [piece]));
  const [first] = pieces;
  return pieces.length === 1 && typeof first === 'string' ? first : { text: pieces };
}

const cut = (text: string, base64: string, file: string): SentText['text'] =>
  text.split(base64).flatMap((piece, index) => (index === 0 ? [piece] : [{ file }, piece]));

function sameItems(earlier: readonly string[], later: readonly string[]): number {
  let same = 0;
  while (same < earlier.length && earlier[same] === later[same]) same += 1;
  return same;
}
