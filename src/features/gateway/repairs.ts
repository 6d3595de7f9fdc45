import { Injectable } from '@nestjs/common';
import { lacksThinking } from '../../../packages/normalizer/api-rules/index.js';
import type { ChangedOption } from '../../../packages/protocol/message/model-options.js';
import { isObject, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import type { SentEdit, SentNote } from '../../../packages/protocol/request/sent-body.js';
import { RequestLog } from '../../engine/queries/request-log.js';
import { ComputePool } from '../../ports/index.js';
import type { RequestRecord } from '../../session/state/state.js';
import type { Found } from './find-session.js';
import { splitBody } from './message-texts.js';
import { sameItems } from './recorded-bodies.js';
import { digestOf, plain, range, withoutThinking, type RefusedText, type RepairAnswer, type RepairedRequest, written } from './repaired-request.js';
import type { SentConversation } from './sent-conversation.js';

type Session = { readonly tenantId: string; readonly sessionId: string };

interface Known {
  readonly uuids: readonly string[];
  readonly edits: readonly (SentEdit & { readonly texts: readonly string[] })[];
  readonly notes: readonly SentNote[];
  readonly changedOptions: readonly ChangedOption[];
}

/** How many requests with repairs are looked at to find the one that the client's history continues: those of other branches may be newer. */
const LOOKED_AT = 16;

/**
 * What is sent in place of parts of a conversation, of the newest requests of each. It is kept as long as the state of its session is cached, and so leaves the memory with it when content of the session is
 * erased. A request of before, or of another process, is read from the log once.
 */
type Kept = WeakMap<RequestRecord, Known | null>;

/** Repairs what the model API has refused, and repairs it in the same way from then on, so that a conversation is refused once and its prefix stays as it was sent. */
@Injectable()
export class Repairs {
  readonly #kept: Kept = new WeakMap();

  constructor(
    private readonly requests: RequestLog,
    private readonly compute: ComputePool,
  ) {}

  /** As an earlier request of the conversation was repaired. Null: none was, or the client has left or changed what was repaired. */
  async again(tenantId: string, { sessionId, conversation: uuids, seqs, repaired }: Found, conversation: SentConversation): Promise<RepairedRequest | null> {
    let best: Applied | null = null;
    for (const record of repaired.slice(0, LOOKED_AT)) {
      // An earlier request has no message that came after it.
      if (best && best.common >= seqs.filter((seq) => seq < record.seq).length) break;
      const known = await this.#known({ tenantId, sessionId }, record);
      if (!known) continue;
      const common = sameItems(known.uuids, uuids);
      if (best && common <= best.common) continue;
      const edits = known.edits.filter((edit) => edit.from + edit.count <= common && isAsBefore(edit, conversation) && !hasRealResults(edit, conversation));
      const isOff = known.changedOptions.length > 0 && lacksThinking(conversation.messages.map(({ value }) => value));
      if (edits.length > 0 || known.edits.length === 0 || isOff) best = { known, common, edits, isOff };
    }
    return best && repairedBy(best, conversation);
  }

  /** In a compute process, since a refused body may be large. Null: it cannot be repaired. */
  async repaired({ conversation, ...refused }: Omit<RefusedText, 'text'> & { readonly conversation: SentConversation }): Promise<RepairedRequest | null> {
    const body = Buffer.from(JSON.stringify({ ...refused, text: conversation.text } satisfies RefusedText));
    const { json } = await this.compute.run({ kind: 'repair', body });
    return (JSON.parse(Buffer.from(json).toString()) as RepairAnswer).repaired;
  }

  /** The request is in the log. `earlier`: those with repairs before it, the newest first. */
  keep(
    record: RequestRecord | undefined,
    uuids: readonly string[],
    { edits, instead, notes, changedOptions }: RepairedRequest,
    earlier: readonly RequestRecord[],
  ): void {
    if (record) this.#kept.set(record, { uuids, edits: edits.map((edit, at) => ({ ...edit, texts: instead[at]! })), notes, changedOptions });
    const outdated = earlier[LOOKED_AT - 1];
    if (outdated) this.#kept.delete(outdated);
  }

  async #known(session: Session, record: RequestRecord): Promise<Known | null> {
    const kept = this.#kept.get(record);
    if (kept !== undefined) return kept;
    const read = await this.#read(session, record);
    this.#kept.set(record, read);
    return read;
  }

  async #read(session: Session, record: RequestRecord): Promise<Known | null> {
    const requests = this.requests.of(session);
    const state = await requests.before(record);
    const { requestId } = record.sent;
    const body = state.bodies?.get(requestId);
    const view = body?.edits ? await requests.view(state, requestId) : null;
    if (!body?.edits || !view || !('body' in view)) return null;
    const { messages } = splitBody(view.body);
    const edits = body.edits.map((edit) => ({ ...edit, texts: messages.slice(edit.at, edit.at + edit.sent).map((message) => copied(plain(message))) }));
    return { uuids: view.original.map(({ uuid }) => uuid), edits, notes: body.trace.notes, changedOptions: body.changedOptions ?? [] };
  }
}

/** What an earlier request does for a conversation. */
interface Applied {
  readonly known: Known;
  /** With so many messages both begin. */
  readonly common: number;
  readonly edits: Known['edits'];
  /** Thinking is switched off. */
  readonly isOff: boolean;
}

function repairedBy({ known, edits, isOff }: Applied, conversation: SentConversation): RepairedRequest | null {
  const count = conversation.messages.length;
  const slots = edits.flatMap((edit, at) => [...edit.texts, ...range(edit.from + edit.count, edits[at + 1]?.from ?? count)]);
  const text = (isOff ? withoutThinking(conversation.text) : null) ?? conversation.text;
  const again = written({ ...conversation, text }, [...range(0, edits[0]?.from ?? count), ...slots], (made) => movedNotes(known.notes, edits, made));
  return again.text === conversation.text ? null : { ...again, changedOptions: text === conversation.text ? [] : known.changedOptions, of: null };
}

/** A slice of a body would keep all of it in memory. */
const copied = (text: string): string => Buffer.from(text).toString();

/** Whether the client still writes what was repaired as it did: it may have repaired it itself. */
const isAsBefore = ({ from, count, of }: SentEdit, { messages }: SentConversation): boolean =>
  digestOf(messages.slice(from, from + count).map(({ value }) => value)) === of;

/** Whether a result that was missing has come since. */
function hasRealResults({ from, count, texts }: Known['edits'][number], { messages }: SentConversation): boolean {
  const resultsIn = (message: UnknownObject): readonly string[] =>
    (Array.isArray(message['content']) ? message['content'] : []).filter(isObject).flatMap(({ tool_use_id: id }) => (typeof id === 'string' ? [id] : []));
  const own = new Set(texts.flatMap((text) => resultsIn(JSON.parse(text) as UnknownObject)));
  const next = messages[from + count];
  return next !== undefined && resultsIn(next.value).some((id) => own.has(id));
}

/** The notes about edits that are made again, with the places that these have now. */
function movedNotes(notes: readonly SentNote[], again: readonly SentEdit[], made: readonly SentEdit[]): readonly SentNote[] {
  return notes.flatMap(({ blocks, ...note }) => {
    const moved = blocks.flatMap(([place = null, index = null, message = null, block = null]) => {
      const isIn = (from: number, count: number, at: number | null): boolean => at !== null && at >= from && at < from + count;
      const at = again.findIndex((edit) => isIn(edit.from, edit.count, place) || isIn(edit.at, edit.sent, message));
      const now = made.find(({ from }) => from === again[at]?.from);
      return at < 0 || !now ? [] : [[place, index, message === null ? null : message - again[at]!.at + now.at, block]];
    });
    return moved.length === 0 ? [] : [{ ...note, blocks: moved }];
  });
}
