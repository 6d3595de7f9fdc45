import type { Blob } from '../core/ports.js';
import type {
  AuditView,
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

/** Everything a reader may ask. A session that is not there or not the caller's is refused with `session_not_found`. */
export abstract class SessionQueries {
  abstract session(principal: Principal, sessionId: string): Promise<SessionView>;
  abstract list(principal: Principal, limit: number, cursor: string | null): Promise<SessionListView>;
  abstract messages(principal: Principal, sessionId: string, input: MessagesInput): Promise<MessagesView>;
  abstract events(principal: Principal, sessionId: string, after: number, limit: number): Promise<EventsView>;
  /** The turn as it stands now; who wants to wait for its end asks again when told of news. */
  abstract turn(principal: Principal, sessionId: string, turnId: string): Promise<TurnView>;
  abstract queue(principal: Principal, sessionId: string): Promise<QueueView>;
  abstract rewinds(principal: Principal, sessionId: string): Promise<RewindsView>;
  abstract payload(principal: Principal, sessionId: string, input: { readonly model?: string; readonly at?: number }): Promise<PayloadView>;
  abstract requests(principal: Principal, sessionId: string): Promise<RequestsView>;
  abstract request(principal: Principal, sessionId: string, requestId: string): Promise<RequestView>;
  /** An image or a document that the session may read; refused with `blob_not_found` when it may not. */
  abstract blob(principal: Principal, sessionId: string, sha256: string): Promise<Blob>;
  /** Whether a past request's payload holds text that stands for a lost result: no training data. Refused with `request_not_found`. */
  abstract synthetic(principal: Principal, sessionId: string, requestId: string): Promise<SyntheticView>;
  /** The session and its path in force, to be written down. */
  abstract export(principal: Principal, sessionId: string): Promise<ExportView>;
  /** Whether the views of the whole session below take so long that they are better made elsewhere. Says nothing of whose session it is. */
  abstract isLarge(principal: Principal, sessionId: string): Promise<boolean>;
  abstract audit(principal: Principal, sessionId: string): Promise<AuditView>;
  abstract normalize(input: NormalizeInput): Promise<NormalizedView>;
}
