import type { Blob, SessionFilter } from '../core/ports.js';
import type {
  AuditView,
  BranchesView,
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
  SessionListView,
  SessionView,
  SyntheticView,
  TurnView,
} from './views.js';
import type { Principal } from '../core/session/principal.js';

/** All queries of sessions. A session that does not exist or that the caller may not read is rejected with `session_not_found`. */
export abstract class SessionQueries {
  abstract session(principal: Principal, sessionId: string): Promise<SessionView>;
  /** An admin's list has the sessions of all users, unless the filter names one; a member's their own. */
  abstract list(principal: Principal, filter: SessionFilter, limit: number, cursor: string | null): Promise<SessionListView>;
  abstract messages(principal: Principal, sessionId: string, input: MessagesInput): Promise<MessagesView>;
  abstract events(principal: Principal, sessionId: string, after: number, limit: number): Promise<EventsView>;
  /** The turn as of now. */
  abstract turn(principal: Principal, sessionId: string, turnId: string): Promise<TurnView>;
  abstract queue(principal: Principal, sessionId: string): Promise<QueueView>;
  abstract rewinds(principal: Principal, sessionId: string): Promise<RewindsView>;
  /** The receipts of erasures. */
  abstract erasures(principal: Principal, sessionId: string): Promise<ErasuresView>;
  abstract branches(principal: Principal, sessionId: string): Promise<BranchesView>;
  abstract payload(principal: Principal, sessionId: string, input: { readonly model?: string; readonly at?: number }): Promise<PayloadView>;
  abstract requests(principal: Principal, sessionId: string): Promise<RequestsView>;
  abstract request(principal: Principal, sessionId: string, requestId: string): Promise<RequestView>;
  /** An image or document of the session; rejected with `blob_not_found` when the session has none with this hash. */
  abstract blob(principal: Principal, sessionId: string, sha256: string): Promise<Blob>;
  /** Whether a past request's payload contains placeholder text for a missing result, which excludes it from training data. Rejected with `request_not_found`. */
  abstract synthetic(principal: Principal, sessionId: string, requestId: string): Promise<SyntheticView>;
  /** The session and its current path as lines of a file. */
  abstract export(principal: Principal, sessionId: string): Promise<ExportView>;
  /** Whether the views of the whole session are expensive enough for the compute pool. Does not check access. */
  abstract isLarge(principal: Principal, sessionId: string): Promise<boolean>;
  abstract audit(principal: Principal, sessionId: string): Promise<AuditView>;
  abstract normalize(input: NormalizeInput): Promise<NormalizedView>;
}
