import type { ChangedOption } from '../../../packages/protocol/message/model-options.js';
import type { Base64Of } from '../../../packages/protocol/message/block-sources.js';
import type { Message } from '../../../packages/protocol/message/message.js';
import type { PrefixDigests, SessionEvent } from '../../../packages/protocol/events/events.js';
import { faultOf, type MessageText, type ReceivedThread, RecordedRequest } from '../../../packages/protocol/request/recorded-request.js';
import type { TraceEntry } from '../../../packages/protocol/request/trace-entry.js';
import { NO_PREFIX, prefixDigestsOf, type Sha256OfText } from '../../../packages/normalizer/prefix.js';
import type { Payload } from '../../../packages/normalizer/payload.js';
import type { Blobs } from '../../ports/index.js';
import type { RequestRecord, SessionState } from '../../session/state/state.js';
import { base64, type BytesOf } from './inline-blobs.js';

/** A request as it was sent, rebuilt from what the log has of it. */
export interface SentView {
  readonly payload: Payload;
  readonly body: string;
  /** SHA-256 of `body`, hexadecimal. */
  readonly digest: string;
  readonly prefixDigests: PrefixDigests;
  readonly trace: readonly TraceEntry[];
  readonly changedOptions: readonly ChangedOption[];
  /** The messages that it was made from, files by reference. */
  readonly original: readonly Message[];
  /** Of a client's request that is part of a message thread: what the client sent. Null: it is of none. */
  readonly thread: ReceivedThread | null;
}

/** Nothing can be shown of a request: its content was erased, or, with a fault, it cannot be rebuilt. */
export interface NoView {
  readonly fault: string | null;
}

/** The messages of a request as JSON, without cache markers, and what the passes did. */
export interface RecordedMessages {
  readonly texts: readonly MessageText[];
  readonly trace: readonly TraceEntry[];
}

/** Reads past requests of one session. */
export class SentRequests {
  constructor(
    private readonly session: BytesOf,
    private readonly blobs: Blobs,
    /** A private copy of the session at a version, with what the requests have recorded. */
    private readonly loadAt: (seq: number) => Promise<SessionState>,
    private readonly eventAt: (seq: number) => Promise<SessionEvent | undefined>,
    private readonly sha256: Sha256OfText,
  ) {}

  /** The session as it was when the request was recorded: a private copy, in which the request itself can be read, too. */
  async before({ seq, sent }: Pick<RequestRecord, 'seq' | 'sent'>): Promise<SessionState> {
    const [state, event] = await Promise.all([this.loadAt(seq - 1), this.eventAt(seq)]);
    if (event?.type === 'request.sent') state.bodies?.set(sent.requestId, event.data.body);
    return state;
  }

  /** A request that a session has sent, by the version of the session that is at hand. */
  async earlier({ requests }: SessionState, requestId: string): Promise<SentView | NoView> {
    const record = requests.get(requestId);
    return record ? this.view(await this.before(record), requestId) : { fault: null };
  }

  /** A request that the copy has recorded. */
  view(copy: SessionState, requestId: string): Promise<SentView | NoView> {
    return this.#read(copy, requestId, (request, base64Of) => this.#viewOf(request, base64Of));
  }

  /** Only the body of a request that the copy has recorded, and what it was made from. */
  sent(copy: SessionState, requestId: string): Promise<Pick<SentView, 'body' | 'original'> | NoView> {
    return this.#read(copy, requestId, (request, base64Of) => ({ body: request.body(base64Of), original: request.conversation }));
  }

  /** SHA-256 of the body of a request that the copy has recorded, hexadecimal. */
  digest(copy: SessionState, requestId: string): Promise<string | NoView> {
    return this.#read(copy, requestId, (request, base64Of) => this.sha256(request.body(base64Of)));
  }

  /** Only the messages of a request that the copy has recorded. */
  messages(copy: SessionState, requestId: string): Promise<RecordedMessages | NoView> {
    return this.#read(copy, requestId, (request, base64Of) => ({ texts: request.messageTexts(base64Of), trace: request.trace }));
  }

  async #read<T>({ bodies, messages }: SessionState, requestId: string, use: (request: RecordedRequest, base64Of: Base64Of) => T): Promise<T | NoView> {
    const body = bodies?.get(requestId);
    if (body === null) return { fault: null };
    try {
      const request = new RecordedRequest(requestId, { body: (id) => bodies?.get(id), message: (uuid) => messages.get(uuid)?.message });
      return use(request, await this.#texts(request.files));
    } catch (error) {
      const fault = faultOf(error);
      if (fault === null) throw error;
      return { fault };
    }
  }

  #viewOf(request: RecordedRequest, base64Of: Base64Of): SentView {
    const texts = request.messageTexts(base64Of);
    const body = request.body(base64Of);
    return {
      payload: JSON.parse(body) as Payload,
      body,
      digest: this.sha256(body),
      prefixDigests: request.isExact ? NO_PREFIX : prefixDigestsOf({ system: request.system, tools: request.tools, messages: texts }, this.sha256),
      trace: request.trace,
      changedOptions: request.changedOptions,
      original: request.conversation,
      thread: request.thread(base64Of),
    };
  }

  async #texts(files: readonly string[]): Promise<Base64Of> {
    const found = files.length === 0 ? new Map<string, never>() : await this.blobs.get(this.session.tenantId, this.session.sessionId, files);
    const texts = new Map([...found].map(([sha256, { content }]) => [sha256, base64(content)]));
    return (sha256) => texts.get(sha256);
  }
}
