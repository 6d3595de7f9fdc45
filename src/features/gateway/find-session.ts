import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { type AuthorizedCaller, authorizedCaller } from '../../../packages/protocol/access/principal.js';
import { Clock, SessionList, Sessions, ThreadAnswers } from '../../ports/index.js';
import { requireAccess } from '../../session/state/access.js';
import type { RequestRecord, SessionState } from '../../session/state/state.js';
import { clientGroup, namedSession, sessionOfGroup } from './client-ids.js';
import { answeredHistories } from './histories.js';
import type { SentConversation } from './sent-conversation.js';
import { isBegunBy, isUnanswered, type Match, matchedBelow, matchIn, mayHaveRemark } from './stored-history.js';

/** The session that a request belongs to, and what it has of the client's history. */
export interface Found {
  readonly sessionId: string;
  /** 0: it does not exist yet. */
  /** Null: any, since what is recorded next does not depend on it. */
  readonly version: number | null;
  readonly match: Match;
  /** Uuids of the client's messages up to where both agree: the session may have others between them, such as standing context. */
  readonly conversation: readonly string[];
  /** Of each of these, when it was stored. */
  readonly seqs: readonly number[];
  readonly erasures: number;
  /** Requests that went out with repairs and were not refused, the newest first. */
  readonly repaired: readonly RequestRecord[];
  /** The last request of the session. */
  readonly lastRequest: string | null;
  readonly group: string | null;
  /** Of a new session: the one from which the client has the history that it begins with, as after `claude --fork-session`. Null: none. */
  readonly forkOf?: string | null;
}

const NOTHING: Match = { after: null, messages: 0, hasAnswer: false };

/** How many sessions that may be the one are looked at, and how many of the last answers in a history. */
const LOOKED_AT = 8;

/** A client that lost its connection tries again within this time. */
const TRIED_AGAIN_MS = 600_000;

/** Finds the session of a request: by its name, by what the client calls the conversation, or by its messages. */
@Injectable()
export class FindSession {
  constructor(
    private readonly sessions: Sessions,
    private readonly list: SessionList,
    private readonly answers: ThreadAnswers,
    private readonly clock: Clock,
  ) {}

  async of(caller: AuthorizedCaller, headers: IncomingHttpHeaders, conversation: SentConversation): Promise<Found> {
    const { tenantId, userId } = caller;
    const { messages } = conversation;
    const named = namedSession(headers);
    if (named !== null) {
      const state = await this.sessions.load(tenantId, named);
      requireAccess(state, authorizedCaller(caller, 'session.prompt', caller.now));
      return found(named, state, matchIn(state, messages), null);
    }
    const root = messages[0]!.key;
    const group = clientGroup(headers, conversation.userId);
    if (group !== null) {
      const sessionId = sessionOfGroup(tenantId, userId, group, root);
      const state = await this.sessions.load(tenantId, sessionId);
      const isOwn = state.version === 0 || state.ownerId === userId;
      const begun = state.version === 0 ? await this.#begunInGroup(caller, conversation, group) : null;
      if (begun) return begun;
      if (state.version === 0) return { ...found(sessionId, state, NOTHING, group), forkOf: await this.#forkedFrom(caller, conversation, root) };
      if (!state.erased && state.status !== 'closed' && isOwn) return found(sessionId, state, matchIn(state, messages), group);
    }
    const byAnswer = group === null ? await this.#byAnswer(caller, conversation) : null;
    return byAnswer ?? (await this.#continued(caller, conversation, root, group)) ?? { ...NEW, sessionId: this.clock.uuid(), group };
  }

  /** Without a name: the session that has the history up to one of its last answers, however many sessions begin alike. Null: none is known by such an answer. */
  async #byAnswer({ tenantId, userId }: AuthorizedCaller, { messages }: SentConversation): Promise<Found | null> {
    const histories = answeredHistories(messages, LOOKED_AT);
    if (histories.length === 0) return null;
    const digests = histories.map(({ digest }) => digest);
    const known = await this.answers.having({ tenantId, userId }, digests, LOOKED_AT);
    const seen = new Set<string>();
    for (const { digest, messages: answered } of histories) {
      let best: Found | null = null;
      for (const { history, sessionId } of known) {
        if (history !== digest || seen.has(sessionId) || seen.size >= LOOKED_AT) continue;
        seen.add(sessionId);
        const state = await this.sessions.load(tenantId, sessionId);
        if (state.erased || state.settings.archived || state.status === 'closed' || state.ownerId !== userId) continue;
        const match = matchIn(state, messages);
        if (match.messages >= answered && match.messages > (best?.match.messages ?? 0)) best = found(sessionId, state, match, null);
      }
      if (best) return best;
    }
    return null;
  }

  /** Without a name and such an answer: the session with the longest history that the request continues. One that only begins with the same words is another conversation. */
  async #continued({ tenantId, userId }: AuthorizedCaller, { messages }: SentConversation, root: string, group: string | null): Promise<Found | null> {
    const { data } = await this.list.list(tenantId, { userId, archived: false, metadata: { gateway: { root } } }, LOOKED_AT, null);
    let best: Found | null = null;
    for (const { id } of data) {
      const state = await this.sessions.load(tenantId, id);
      if (state.erased || state.status === 'closed' || state.ownerId !== userId) continue;
      const match = matchIn(state, messages);
      const isMore = match.messages > (best?.match.messages ?? 0);
      if (isMore && (match.hasAnswer || this.#isTriedAgain(state, match, messages.length))) best = found(id, state, match, group);
    }
    return best;
  }

  /** A new name with a history that has answers: the client has taken it from another of its conversations. */
  async #forkedFrom(caller: AuthorizedCaller, conversation: SentConversation, root: string): Promise<string | null> {
    if (!conversation.messages.some(({ role }) => role === 'assistant')) return null;
    const from = await this.#continued(caller, conversation, root, null);
    return from?.match.hasAnswer ? from.sessionId : null;
  }

  /**
   * After a cut, a client may write its first message again with a remark at its end, so that by its beginning the conversation would be another one. It is the one turn tried again, and what follows it
   * is of the same session. Null: no conversation of this name began so.
   */
  async #begunInGroup({ tenantId, userId }: AuthorizedCaller, { messages }: SentConversation, group: string): Promise<Found | null> {
    if (!mayHaveRemark(messages[0]!)) return null;
    const { data } = await this.list.list(tenantId, { userId, archived: false, metadata: { gateway: { group } } }, LOOKED_AT, null);
    let tried: Found | null = null;
    for (const { id } of data) {
      const state = await this.sessions.load(tenantId, id);
      if (state.erased || state.status === 'closed' || state.ownerId !== userId) continue;
      const match = matchIn(state, messages);
      if (match.messages > 0) return found(id, state, match, group);
      if (this.#isRecent(state) && messages.length === 1 && isBegunBy(state, messages[0]!)) tried ??= found(id, state, match, group);
    }
    return tried;
  }

  #isTriedAgain(state: SessionState, match: Match, messages: number): boolean {
    return match.messages === messages && this.#isRecent(state) && isUnanswered(state, match);
  }

  #isRecent({ lastSent }: SessionState): boolean {
    return this.clock.now() - Date.parse(lastSent?.sentAt ?? '') < TRIED_AGAIN_MS;
  }
}

const NEW = { version: 0, match: NOTHING, conversation: [], seqs: [], repaired: [], erasures: 0, lastRequest: null };

/** The state is read at once: it advances with the log. */
export function found(
  sessionId: string,
  state: SessionState,
  match: Match,
  group: string | null,
  conversation: readonly string[] = matchedBelow(state, null, match.after),
): Found {
  const seqs = conversation.map((uuid) => state.messages.get(uuid)?.seq ?? 0);
  const lastRequest = state.lastSent?.request.requestId ?? null;
  const repaired = [...state.requests.values()].filter(({ sent, error }) => sent.repair !== undefined && !isRefusal(error?.status)).reverse();
  return { sessionId, version: state.version, match, conversation, seqs, repaired, erasures: state.erasures.size, lastRequest, group };
}

/** What repairs would not have helped, or were refused themselves. */
const isRefusal = (status: number | undefined): boolean => status === 400 || status === 413;
