import { Injectable } from '@nestjs/common';
import type { Settings } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type Prices, pricesOf } from '../../../packages/normalizer/models/prices.js';
import { RESULT_MISSING } from '../../../packages/protocol/message/wire-texts.js';
import { type Blob, Blobs, Digest, EventLog, GateSource, type SessionFilter, SessionList, Sessions } from '../../ports/index.js';
import { groupGrant, may, TENANT, userGrant } from '../../../packages/protocol/access/may.js';
import { requireAccess, rightsIn } from '../../session/state/access.js';
import { type AccessesView, accessesView, type GrantsView, grantsView } from '../../session/state/access-view.js';
import { filesIn } from '../../../packages/protocol/message/files-in.js';
import { erasuresView } from '../../session/state/erasure-view.js';
import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import { skeletonOf } from '../../../packages/protocol/events/skeleton.js';
import { withoutTexts } from '../../session/state/session-row.js';
import { sessionView } from '../../session/state/session-view.js';
import type { SessionState } from '../../session/state/state.js';
import { RequestLog } from './request-log.js';
import type { SentRequests } from './sent-requests.js';
import { InlineBlobs } from './inline-blobs.js';
import { ClientLinesLog } from './client-lines-log.js';
import { ClientRequest, clientRequestOf } from './client-requests.js';
import { branchesView } from './branches.js';
import { exportLines } from './export-lines.js';
import { firstEvent } from './first-event.js';
import { messagesView } from './messages.js';
import { normalizedView, payloadView } from './payload.js';
import { promptView, type PromptView } from './prompt-view.js';
import { requestView } from './request.js';
import { SessionAudit, type VerifiedAudit } from '../audit/session-audit.js';
import { type ListScope, SessionQueries } from './session-queries.js';
import { sharedMessages, type SharedView, sharedView } from './shared.js';
import { queueView, requestsView, rewindsView, schedulesView, turnView } from './state-views.js';
import type {
  BranchesView,
  ClientRequestView,
  ErasuresView,
  EventsView,
  ExportView,
  MessagesInput,
  MessagesView,
  NormalizedView,
  NormalizeInput,
  PayloadView,
  QueueView,
  RequestsView,
  RequestView,
  RewindsView,
  SchedulesView,
  SessionListView,
  SessionView,
  SyntheticView,
  TurnView,
} from './views.js';
import type { AuthorizedCaller, LinkAccess } from '../../../packages/protocol/access/principal.js';

/** Above this, views of the whole session take longer than some 50 ms and are computed by the compute pool. */
const LARGE = { events: 500, bytes: 256 * 1024 };
/** The same for images and documents in bytes. */
const LARGE_FILES = 1024 * 1024;

/** Queries answered from the log. */
@Injectable()
export class LogQueries extends SessionQueries {
  readonly #sha256 = (content: string | Uint8Array): string => this.digest.sha256(content);
  readonly #bytes: InlineBlobs;
  readonly #requestLog: RequestLog;
  readonly #prices: Prices;
  readonly #audits: SessionAudit;

  constructor(
    private readonly store: EventLog,
    private readonly sessions: Sessions,
    private readonly sessionList: SessionList,
    private readonly gates: GateSource,
    private readonly settings: Pick<Settings, 'MAX_OUTPUT_TOKENS' | 'MODEL_PROVIDER' | 'MODEL_PRICES'>,
    private readonly digest: Digest,
    private readonly blobs: Blobs,
    private readonly defaultModel: string,
  ) {
    super();
    this.#bytes = new InlineBlobs(blobs);
    this.#requestLog = new RequestLog(store, sessions, blobs, digest);
    this.#prices = pricesOf(settings.MODEL_PRICES);
    this.#audits = new SessionAudit(store, sessions, sessionList, blobs, this.#requestLog);
  }

  async session(principal: AuthorizedCaller, sessionId: string): Promise<SessionView> {
    return sessionView(sessionId, await this.#load(principal, sessionId));
  }

  async list(caller: AuthorizedCaller, filter: SessionFilter, limit: number, cursor: string | null, scope: ListScope): Promise<SessionListView> {
    const { tenantId, userId, groups } = caller;
    if (scope === 'shared') return this.sessionList.list(tenantId, { ...filter, sharedWith: principalsOf({ userId, groups }) }, limit, cursor);
    if (scope === 'own') {
      if (filter.userId !== null && filter.userId !== userId) return { data: [], nextCursor: null };
      return this.sessionList.list(tenantId, { ...filter, userId }, limit, cursor);
    }
    if (!may(caller, 'tenant.audit', TENANT)) throw new DomainError('forbidden', 'Only an admin or an auditor lists the sessions of other users.');
    if (filter.title !== undefined || filter.metadata !== undefined) {
      throw new DomainError('forbidden', 'Titles and metadata are content: the sessions of other users cannot be searched by them.');
    }
    const { data, nextCursor } = await this.sessionList.list(tenantId, filter, limit, cursor);
    return { data: data.map((row) => (row.userId === userId ? row : withoutTexts(row))), nextCursor };
  }

  async messages(principal: AuthorizedCaller, sessionId: string, input: MessagesInput): Promise<MessagesView> {
    return messagesView(await this.#load(principal, sessionId), input);
  }

  async events(principal: AuthorizedCaller, sessionId: string, after: number, limit: number): Promise<EventsView> {
    const { version } = await this.#load(principal, sessionId);
    const data = await this.store.page(principal.tenantId, sessionId, after, limit);
    const last = data.at(-1)?.seq ?? after;
    return { version: Math.max(version, last), data, nextCursor: data.length === limit && last < version ? String(last) : null };
  }

  async structure(principal: AuthorizedCaller, sessionId: string, after: number, limit: number): Promise<EventsView> {
    const { data, ...page } = await this.events(principal, sessionId, after, limit);
    return { ...page, data: data.map(withoutContent) };
  }

  async turn(principal: AuthorizedCaller, sessionId: string, turnId: string): Promise<TurnView> {
    return turnView(await this.#load(principal, sessionId), turnId);
  }

  knownTurn(principal: AuthorizedCaller, sessionId: string, turnId: string, seq: number): TurnView | null {
    const state = this.sessions.known(principal.tenantId, sessionId);
    if (!state || state.version < seq) return null;
    requireAccess(state, principal);
    return turnView(state, turnId);
  }

  async queue(principal: AuthorizedCaller, sessionId: string): Promise<QueueView> {
    return queueView(await this.#load(principal, sessionId));
  }

  async prompt(principal: AuthorizedCaller, sessionId: string, id: string): Promise<PromptView> {
    return promptView(await this.#load(principal, sessionId), id);
  }

  async schedules(principal: AuthorizedCaller, sessionId: string): Promise<SchedulesView> {
    return schedulesView(await this.#load(principal, sessionId));
  }

  async rewinds(principal: AuthorizedCaller, sessionId: string): Promise<RewindsView> {
    return rewindsView(await this.#load(principal, sessionId));
  }

  async erasures(principal: AuthorizedCaller, sessionId: string): Promise<ErasuresView> {
    return erasuresView(await this.#load(principal, sessionId));
  }

  async grants(principal: AuthorizedCaller, sessionId: string): Promise<GrantsView> {
    return grantsView(await this.#load(principal, sessionId));
  }

  async accesses(principal: AuthorizedCaller, sessionId: string, after: number, limit: number): Promise<AccessesView> {
    return accessesView(await this.#load(principal, sessionId), after, limit);
  }

  async requireShareable(principal: AuthorizedCaller, sessionId: string, at: string | null): Promise<void> {
    const state = await this.#load(principal, sessionId);
    if (state.erased) throw new DomainError('session_erased', 'The content of this session was erased; there is nothing to show.');
    if (at !== null && !state.messages.has(at)) throw new DomainError('message_not_found', 'This message is not part of the session.');
  }

  async shared(principal: AuthorizedCaller, after: number, limit: number): Promise<SharedView> {
    const { state, link } = await this.#shared(principal);
    return sharedView(state, link, after, limit);
  }

  async sharedBlob(principal: AuthorizedCaller, sha256: string): Promise<Blob> {
    const { state, link } = await this.#shared(principal);
    const isShown = sharedMessages(state, link).some((message) => filesIn(message).includes(sha256));
    const found = isShown ? await this.blobs.get(principal.tenantId, link.sessionId, [sha256]) : null;
    const blob = found?.get(sha256);
    if (!blob) throw new DomainError('blob_not_found', 'The link shows no file with this hash.');
    return blob;
  }

  async #shared(principal: AuthorizedCaller): Promise<{ readonly state: SessionState; readonly link: LinkAccess }> {
    const { link } = principal;
    if (link === null || !may(principal, principal.action, { kind: 'link' })) throw new DomainError('forbidden', 'This route requires a link.');
    const state = await this.sessions.load(principal.tenantId, link.sessionId);
    if (state.version === 0 || state.erased) throw new DomainError('session_not_found', 'There is no such session.');
    return { state, link };
  }

  async branches(principal: AuthorizedCaller, sessionId: string): Promise<BranchesView> {
    return branchesView(await this.#load(principal, sessionId));
  }

  async requests(principal: AuthorizedCaller, sessionId: string): Promise<RequestsView> {
    const state = await this.#load(principal, sessionId);
    return requestsView(state, may(principal, 'session.read', rightsIn(state, principal.now)), this.#sha256, this.#prices);
  }

  async payload(
    principal: AuthorizedCaller,
    sessionId: string,
    input: { readonly model?: string; readonly at?: number; readonly fresh?: boolean },
  ): Promise<PayloadView> {
    const now = await this.#load(principal, sessionId);
    const { at = now.version } = input;
    if (at > now.version) {
      throw new DomainError('invalid_input', `The session is at version ${now.version}; version ${at} does not exist yet.`, [
        { pointer: '/at', text: 'is in the future' },
      ]);
    }
    const state = at === now.version ? now : await this.sessions.loadAt(principal.tenantId, sessionId, at);
    const gates = await this.gates.snapshot(principal.tenantId);
    const model = input.model === undefined ? {} : { model: input.model };
    return payloadView(
      state,
      { ...model, gates, provider: this.settings.MODEL_PROVIDER, maxTokens: this.settings.MAX_OUTPUT_TOKENS, fresh: input.fresh === true },
      { bytes: this.#bytes, of: { tenantId: principal.tenantId, sessionId }, requests: this.#requests(principal, sessionId) },
      this.#sha256,
    );
  }

  async request(principal: AuthorizedCaller, sessionId: string, requestId: string): Promise<RequestView | ClientRequestView> {
    const now = await this.#load(principal, sessionId);
    const record = now.requests.get(requestId);
    const ofClient = record ? undefined : clientRequestOf(now, requestId, this.#sha256);
    if (ofClient) return new ClientRequest(now, ofClient, this.#clientLines(principal, sessionId), this.#sha256).view();
    if (!record) throw new DomainError('request_not_found', 'There is no request with this id in the session.');
    return requestView(now, record, this.#requests(principal, sessionId), this.#prices);
  }

  async synthetic(principal: AuthorizedCaller, sessionId: string, requestId: string): Promise<SyntheticView> {
    const now = await this.#load(principal, sessionId);
    const record = now.requests.get(requestId);
    if (!record) throw new DomainError('request_not_found', 'There is no request with this id in the session.');
    const { version } = now;
    const view = await this.#requests(principal, sessionId).earlier(now, requestId);
    return { version, synthetic: 'body' in view && view.body.includes(RESULT_MISSING) };
  }

  async export(principal: AuthorizedCaller, sessionId: string, branches: 'all' | 'current'): Promise<ExportView> {
    const state = await this.#load(principal, sessionId);
    return {
      version: state.version,
      lines: exportLines(state, branches, { tenantId: principal.tenantId, sessionId }, this.blobs, this.#clientLines(principal, sessionId)),
    };
  }

  async blob(principal: AuthorizedCaller, sessionId: string, sha256: string): Promise<Blob> {
    await this.#load(principal, sessionId);
    const found = await this.blobs.get(principal.tenantId, sessionId, [sha256]);
    const blob = found.get(sha256);
    if (!blob) throw new DomainError('blob_not_found', 'This session has no file with this hash.');
    return blob;
  }

  /** The log of a fork includes the logs it shares; its blobs are its own. */
  async isLarge({ tenantId }: AuthorizedCaller, sessionId: string): Promise<boolean> {
    if ((await this.blobs.size(tenantId, sessionId)) > LARGE_FILES) return true;
    for (let id: string | undefined = sessionId; id !== undefined;) {
      if (await this.store.exceeds(tenantId, id, LARGE)) return true;
      id = (await firstEvent(this.store, tenantId, id))?.data.forkedFrom?.sessionId;
    }
    return false;
  }

  audit(principal: AuthorizedCaller, sessionId: string, newestRequests = 0): Promise<VerifiedAudit> {
    return this.#audits.audit(principal, sessionId, newestRequests);
  }

  async normalize(input: NormalizeInput): Promise<NormalizedView> {
    return normalizedView(
      input,
      { model: this.defaultModel, provider: this.settings.MODEL_PROVIDER, maxTokens: this.settings.MAX_OUTPUT_TOKENS },
      this.#sha256,
    );
  }

  #clientLines({ tenantId }: AuthorizedCaller, sessionId: string): ClientLinesLog {
    return new ClientLinesLog({ tenantId, sessionId }, this.store, this.blobs);
  }

  #requests({ tenantId }: AuthorizedCaller, sessionId: string): SentRequests {
    return this.#requestLog.of({ tenantId, sessionId });
  }

  async #load(principal: AuthorizedCaller, sessionId: string): Promise<SessionState> {
    const state = await this.sessions.load(principal.tenantId, sessionId);
    requireAccess(state, principal);
    return state;
  }
}

/** What has no skeleton has no content. */
const withoutContent = (event: SessionEvent): SessionEvent => ({ ...event, data: skeletonOf(event) ?? event.data }) as SessionEvent;

const principalsOf = ({ userId, groups }: Pick<AuthorizedCaller, 'userId' | 'groups'>): readonly string[] => [userGrant(userId), ...groups.map(groupGrant)];
