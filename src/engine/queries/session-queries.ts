import type { Blob, SessionFilter } from '../../ports/index.js';
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
import type { AccessesView, GrantsView } from '../../session/state/access-view.js';
import type { VerifiedAudit } from '../audit/session-audit.js';
import type { PromptView } from './prompt-view.js';
import type { SharedView } from './shared.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

/** `own`: that the caller is the first owner of; `shared`: that they have another role in; `tenant`: of all users, without content. */
export type ListScope = 'own' | 'shared' | 'tenant';

/** All queries of sessions. A session that does not exist or that the caller may not read is rejected with `session_not_found`. */
export abstract class SessionQueries {
  abstract session(principal: AuthorizedCaller, sessionId: string): Promise<SessionView>;
  /** The caller's own sessions, those that they have a role in, or (admin, auditor) those of others without content. */
  abstract list(principal: AuthorizedCaller, filter: SessionFilter, limit: number, cursor: string | null, scope: ListScope): Promise<SessionListView>;
  abstract messages(principal: AuthorizedCaller, sessionId: string, input: MessagesInput): Promise<MessagesView>;
  abstract events(principal: AuthorizedCaller, sessionId: string, after: number, limit: number): Promise<EventsView>;
  /** The turn as of now. */
  abstract turn(principal: AuthorizedCaller, sessionId: string, turnId: string): Promise<TurnView>;
  /** The same from what this process has folded, without a statement; null when that is not known up to version `seq`. */
  abstract knownTurn(principal: AuthorizedCaller, sessionId: string, turnId: string, seq: number): TurnView | null;
  abstract queue(principal: AuthorizedCaller, sessionId: string): Promise<QueueView>;
  /** A prompt as it can be sent again, by its id or that of its message. */
  abstract prompt(principal: AuthorizedCaller, sessionId: string, id: string): Promise<PromptView>;
  abstract rewinds(principal: AuthorizedCaller, sessionId: string): Promise<RewindsView>;
  abstract schedules(principal: AuthorizedCaller, sessionId: string): Promise<SchedulesView>;
  /** The receipts of erasures. */
  abstract erasures(principal: AuthorizedCaller, sessionId: string): Promise<ErasuresView>;
  abstract grants(principal: AuthorizedCaller, sessionId: string): Promise<GrantsView>;
  /** `after`: number of entries to skip. */
  abstract accesses(principal: AuthorizedCaller, sessionId: string, after: number, limit: number): Promise<AccessesView>;
  /** The events without their content: ids, kinds, numbers and times, as an erasure would leave them. */
  abstract structure(principal: AuthorizedCaller, sessionId: string, after: number, limit: number): Promise<EventsView>;
  /** Rejected unless the caller may create a link to the session, up to the message `at`. */
  abstract requireShareable(principal: AuthorizedCaller, sessionId: string, at: string | null): Promise<void>;
  /** What the caller, a link, shows. `after`: number of messages to skip. */
  abstract shared(principal: AuthorizedCaller, after: number, limit: number): Promise<SharedView>;
  /** A file of a message that the caller, a link, shows. */
  abstract sharedBlob(principal: AuthorizedCaller, sha256: string): Promise<Blob>;
  abstract branches(principal: AuthorizedCaller, sessionId: string): Promise<BranchesView>;
  abstract payload(
    principal: AuthorizedCaller,
    sessionId: string,
    input: { readonly model?: string; readonly at?: number; readonly fresh?: boolean },
  ): Promise<PayloadView>;
  abstract requests(principal: AuthorizedCaller, sessionId: string): Promise<RequestsView>;
  abstract request(principal: AuthorizedCaller, sessionId: string, requestId: string): Promise<RequestView | ClientRequestView>;
  /** An image or document of the session; rejected with `blob_not_found` when the session has none with this hash. */
  abstract blob(principal: AuthorizedCaller, sessionId: string, sha256: string): Promise<Blob>;
  /** Whether a past request's payload contains placeholder text for a missing result, which excludes it from training data. Rejected with `request_not_found`. */
  abstract synthetic(principal: AuthorizedCaller, sessionId: string, requestId: string): Promise<SyntheticView>;
  /** The session and its messages as lines of a file. */
  abstract export(principal: AuthorizedCaller, sessionId: string, branches: 'all' | 'current'): Promise<ExportView>;
  /** Whether the views of the whole session are expensive enough for the compute pool. Does not check access. */
  abstract isLarge(principal: AuthorizedCaller, sessionId: string): Promise<boolean>;
  /** `newestRequests`: how many requests are rebuilt and compared, too; default 0. */
  abstract audit(principal: AuthorizedCaller, sessionId: string, newestRequests?: number): Promise<VerifiedAudit>;
  abstract normalize(input: NormalizeInput): Promise<NormalizedView>;
}
