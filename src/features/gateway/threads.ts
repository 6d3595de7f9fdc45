import { Inject, Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { type AuthorizedCaller, authorizedCaller } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { Message, StoredMessage } from '../../../packages/protocol/message/message.js';
import type { UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import type { SentEdit } from '../../../packages/protocol/request/sent-body.js';
import { EmbeddedMessages } from '../../../packages/normalizer/embedded-messages.js';
import { base64 } from '../../engine/queries/inline-blobs.js';
import { RequestLog } from '../../engine/queries/request-log.js';
import type { NoView, SentView } from '../../engine/queries/sent-requests.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { type AnsweredRequest, Blobs, Sessions, ThreadAnswers } from '../../ports/index.js';
import { requireAccess } from '../../session/state/access.js';
import type { RequestRecord, SessionState } from '../../session/state/state.js';
import { namedSession } from './client-ids.js';
import { type Found, found } from './find-session.js';
import { historyWith } from './histories.js';
import { joinBody, splitBody, writeMessage } from './message-texts.js';
import { readConversation, type SentConversation } from './sent-conversation.js';
import type { PassedRequest } from './spool.js';
import { matchedBelow, matchIn, sentForm } from './stored-history.js';
import { changedMembers, continuedText } from './thread-texts.js';
import { threadNotFound, ThreadRefusal } from './thread-refusal.js';
import { answerUuid } from './answer-ids.js';

type Session = Pick<PassedRequest, 'tenantId' | 'sessionId'>;

/** A request that continues a thread, with the whole conversation. */
export interface ContinuedThread {
  readonly conversation: SentConversation;
  readonly found: Found;
}

/** The conversation as the client wrote it, up to an answer. */
interface Earlier {
  readonly text: string;
  /** Uuids of its messages. */
  readonly uuids: readonly string[];
  /** The answer as JSON; null: it had no content. */
  readonly answer: string | null;
}

/** Message threads: the log of the session is the thread, so it is there as long as the session. */
@Injectable()
export class Threads {
  /** Answers that this process records now, by request. */
  readonly #ending = new Map<string, Promise<unknown>>();

  constructor(
    private readonly answers: ThreadAnswers,
    private readonly sessions: Sessions,
    private readonly requests: RequestLog,
    private readonly blobs: Blobs,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_BODY_BYTES'>,
  ) {}

  /** From now on the answer that is under way is known by its id. */
  async name({ tenantId, userId, sessionId, requestId, isThreaded }: PassedRequest, id: string): Promise<void> {
    if (isThreaded) await this.answers.add({ tenantId, userId }, { id, history: null }, { sessionId, requestId });
  }

  /** From now on the answer is known by its id or its conversation; it can be continued once it is in the log. */
  async add({ tenantId, userId, sessionId, requestId, isThreaded, history }: PassedRequest, answer: UnknownObject | null): Promise<void> {
    if (answer === null || (!isThreaded && history === undefined)) return;
    const id = isThreaded && typeof answer['id'] === 'string' ? answer['id'] : null;
    await this.answers.add({ tenantId, userId }, { id, history: history === undefined ? null : historyWith(history, answer) }, { sessionId, requestId });
  }

  /** A request that continues the answer to this one waits for `end`. */
  async ending(requestId: string, end: Promise<unknown>): Promise<void> {
    this.#ending.set(requestId, end);
    await end.finally(() => this.#ending.delete(requestId));
  }

  /**
   * The whole conversation of a request that continues an answer, and where it is stored. Throws a ThreadRefusal: there is no such answer for this caller, it has not ended, or the request changes what a
   * thread keeps.
   */
  async continued(caller: AuthorizedCaller, headers: IncomingHttpHeaders, sent: SentConversation): Promise<ContinuedThread> {
    const { thread } = sent;
    if (thread?.type !== 'continue') throw new Error('the request continues no thread');
    const { tenantId, userId } = caller;
    const known = await this.answers.find({ tenantId, userId }, thread.previous);
    const named = known ?? (await this.#inNamedSession(caller, namedSession(headers), thread.previous));
    const { sessionId, requestId } = named;
    await this.#ending.get(requestId)?.catch(() => undefined);
    const state = await this.sessions.load(tenantId, sessionId);
    requireOpen(state, caller);
    const earlier = await this.#earlier({ tenantId, sessionId }, state, requestId);
    // The conversation may be large: between the steps others run.
    await setImmediate();
    const changed = changedMembers(earlier.text, sent.text);
    if (changed.length > 0) throw mismatch(changed);
    await setImmediate();
    const text = continuedText({ earlier: earlier.text, answer: earlier.answer, next: sent.text });
    const bytes = Buffer.from(text);
    const limit = this.settings.MAX_BODY_BYTES;
    if (bytes.length > limit) throw new DomainError('payload_too_large', `The conversation of the thread exceeds the limit of ${limit} bytes.`, [], { limit });
    await setImmediate();
    const whole = await readConversation(bytes);
    if (whole?.messages.length !== earlier.uuids.length + sent.messages.length) throw threadNotFound();
    // What is found is of one version of the session, so nothing is awaited from here on.
    const now = await this.sessions.load(tenantId, sessionId);
    const from = earlier.uuids.at(-1) ?? null;
    const match = matchIn(now, sent.messages, from);
    const conversation = [...earlier.uuids, ...matchedBelow(now, from, match.after)];
    const stored = { after: match.after, messages: conversation.length, hasAnswer: true };
    return {
      conversation: { ...whole, thread: { ...thread, of: requestId } },
      found: found(sessionId, now, stored, null, conversation),
    };
  }

  /** The answer of a turn of this server has the id of the model API, too; it is looked for only in the session that the client names. */
  async #inNamedSession(caller: AuthorizedCaller, sessionId: string | null, answerId: string): Promise<AnsweredRequest> {
    if (sessionId === null) throw threadNotFound();
    const state = await this.sessions.load(caller.tenantId, sessionId);
    requireOpen(state, caller);
    const requestId = [...state.messages.values()].reduce<string | undefined>(
      (found, { message }) => (message.type === 'assistant' && message.message.id === answerId ? message.requestId : found),
      undefined,
    );
    if (requestId === undefined) throw threadNotFound();
    return { sessionId, requestId };
  }

  /** The state is read at once: it advances with the log. */
  async #earlier(session: Session, state: SessionState, requestId: string): Promise<Earlier> {
    const record = state.requests.get(requestId);
    if (!record) throw threadNotFound();
    if (record.status === 'open') throw new ThreadRefusal('thread_continue_in_flight', 'The answer that previous_message_id names has not ended yet.');
    const uuid = uuidOfAnswer(state, record);
    const message = state.messages.get(uuid)?.message;
    const content = message?.type === 'assistant' ? message.message.content : null;
    // A whole answer without content is no message. Of one that failed there may be none either.
    if (message?.erased || (content === null && record.status !== 'completed')) throw threadNotFound();
    const answer = content === null ? null : writeMessage({ role: 'assistant', content });
    const { text, uuids } = await this.#asClientWrote(session, record);
    return { text, answer, uuids: answer === null ? uuids : [...uuids, uuid] };
  }

  /** The conversation of a past request. Where it went out with repairs, the messages of the client stand in their place again. */
  async #asClientWrote(session: Session, record: RequestRecord): Promise<Pick<Earlier, 'text' | 'uuids'>> {
    const { requestId } = record.sent;
    const requests = this.requests.of(session);
    const copy = await requests.before(record);
    if (record.sent.origin?.kind !== 'gateway') return ofServer(await requests.view(copy, requestId), copy);
    const sent = await requests.sent(copy, requestId);
    if ('fault' in sent) throw threadNotFound();
    const { body, original } = sent;
    const edits = copy.bodies?.get(requestId)?.edits ?? [];
    const text = edits.length === 0 ? body : joinBody(splitBody(body), await this.#unedited(session, splitBody(body).messages, edits, original));
    return { text, uuids: original.map(({ uuid }) => uuid) };
  }

  async #unedited(session: Session, sent: readonly string[], edits: readonly SentEdit[], original: readonly Message[]): Promise<readonly string[]> {
    const changed = edits.flatMap(({ from, count }) => original.slice(from, from + count));
    const embedded = new EmbeddedMessages();
    const missing = embedded.missing(changed);
    const files = missing.length === 0 ? new Map<string, never>() : await this.blobs.get(session.tenantId, session.sessionId, missing);
    embedded.add(changed, (sha256) => {
      const file = files.get(sha256);
      return file && base64(file.content);
    });
    const written = embedded.of(changed).map((message) => writeMessage(sentForm(message as StoredMessage) ?? {}));
    const texts: string[] = [];
    let next = 0;
    for (const { at, sent: many, count } of edits) {
      texts.push(...sent.slice(next, at), ...written.splice(0, count));
      next = at + many;
    }
    return [...texts, ...sent.slice(next)];
  }
}

/** The message that the answer to a request has become. */
function uuidOfAnswer({ messages }: SessionState, { sent: { requestId, origin } }: RequestRecord): string {
  if (origin?.kind === 'gateway') return answerUuid(requestId);
  for (const [uuid, { message }] of messages) if (message.type === 'assistant' && message.requestId === requestId) return uuid;
  throw threadNotFound();
}

/** A request of this server may have several stored messages in one that it sends: each is known by the last of them. */
function ofServer(view: SentView | NoView, { messages }: SessionState): Pick<Earlier, 'text' | 'uuids'> {
  if ('fault' in view) throw threadNotFound();
  const stored = view.trace.flatMap(({ source, target }) => (source && target && messages.has(source.uuid) ? [{ uuid: source.uuid, at: target.message }] : []));
  const uuidAt = (at: number): string | undefined => (stored.findLast((one) => one.at <= at) ?? stored[0])?.uuid;
  const uuids = view.payload.messages.flatMap((_, at) => uuidAt(at) ?? []);
  return { text: view.body, uuids };
}

/** A session that its user can no longer see has no threads. */
function requireOpen(state: SessionState, caller: AuthorizedCaller): void {
  try {
    requireAccess(state, authorizedCaller(caller, 'session.prompt', caller.now));
  } catch (error) {
    throw error instanceof DomainError && error.code === 'session_not_found' ? threadNotFound() : error;
  }
}

function mismatch(changed: readonly string[]): ThreadRefusal {
  const message = `A thread keeps these members, and this request has others: ${changed.join(', ')}. Leave out system and tools, or send the whole conversation with thread: {"type": "create"}.`;
  return new ThreadRefusal('thread_fingerprint_mismatch', message);
}
