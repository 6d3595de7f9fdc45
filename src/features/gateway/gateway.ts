import path from 'node:path';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { Failure } from '../../../packages/protocol/events/events.js';
import { requestIdOf } from '../../http/request-context.js';
import { leaveDoor } from '../../http/access/tenant-door.js';
import { readBody } from '../../http/body/read-body.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import type { Outcome } from './answer-reader.js';
import { decoded, READABLE } from './decoding.js';
import { Exchanges } from './exchanges.js';
import { CLIENT_GONE, type Recording, Relay } from './relay.js';
import { readConversation, type SentConversation } from './sent-conversation.js';
import { type PassedRequest, Spool } from './spool.js';
import { SpoolRecovery } from './spool-recovery.js';
import { type Answered, Upstream } from './upstream.js';

/** Requests of clients of the Messages API: recorded, passed on, and their answers recorded on the way back. */
@Injectable()
export class Gateway implements BeforeApplicationShutdown {
  readonly #log = new Logger('Gateway');
  readonly #running = new Set<Promise<void>>();
  /** Ends what is under way when the server stops. */
  readonly #ends = new Set<(failure: Failure) => void>();

  constructor(
    private readonly upstream: Upstream,
    private readonly exchanges: Exchanges,
    private readonly recovery: SpoolRecovery,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_BODY_BYTES' | 'MODEL_TIMEOUT_MS' | 'GATEWAY_DURABLE' | 'DATA_DIR' | 'SHUTDOWN_GRACE_MS'>,
  ) {}

  /**
   * `target`: the path at the model API, with the query. `recorded`: a request for an answer. `counted`: one that may cost or change something, which needs the right to create sessions and stays within
   * quotas. `free`: one that every caller may send.
   */
  async pass(caller: AuthorizedCaller, request: Request, response: Response, target: string, kind: 'recorded' | 'counted' | 'free'): Promise<void> {
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
    const body = hasBody ? await readBody(request, this.settings.MAX_BODY_BYTES) : null;
    const conversation = kind === 'recorded' && body ? await this.#conversation(request, body) : null;
    if (conversation?.isThreaded) return refuseThread(response);
    if (!conversation && kind !== 'free') await this.exchanges.admit(caller);
    const passed = conversation && (await this.exchanges.begin(caller, request.headers, conversation));
    if (passed) {
      response.setHeader('x-verbatim-session', passed.sessionId);
      response.setHeader('x-verbatim-request', passed.requestId);
    }
    leaveDoor(response);
    const running = this.#forward(request, response, target, body, passed);
    this.#running.add(running);
    await running.finally(() => this.#running.delete(running));
  }

  /** Answers that are under way are recorded before the database closes: those that are not over after the grace as far as they came. */
  async beforeApplicationShutdown(): Promise<void> {
    const over = Promise.allSettled(this.#running);
    const grace = setTimeout(() => {
      for (const end of this.#ends) end(STOPPED);
    }, this.settings.SHUTDOWN_GRACE_MS);
    await over.finally(() => clearTimeout(grace));
  }

  async #conversation(request: Request, body: Buffer): Promise<SentConversation | null> {
    const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
    if (!READABLE.has(encoding))
      throw new DomainError('unsupported_media_type', `A body in the coding ${encoding.slice(0, 40)} cannot be recorded; send it as it is, or as gzip.`);
    try {
      return await readConversation(decoded(body, encoding, this.settings.MAX_BODY_BYTES));
    } catch (error) {
      if (error instanceof DomainError || encoding === 'identity') throw error;
      throw new DomainError('invalid_input', `The body is not ${encoding}, or exceeds ${this.settings.MAX_BODY_BYTES} bytes.`);
    }
  }

  async #forward(request: Request, response: Response, target: string, body: Buffer | null, passed: PassedRequest | null): Promise<void> {
    const { method, rawHeaders } = request;
    const stop = new AbortController();
    let why: Failure | null = null;
    const end = (failure: Failure): void => {
      why ??= failure;
      stop.abort();
      if (response.writableNeedDrain) response.destroy(); // a client that does not read holds nothing
    };
    const gone = (): void => void (response.writableFinished || end(CLIENT_GONE));
    response.once('close', gone);
    this.#ends.add(end);
    if (response.destroyed) gone();
    const { MODEL_TIMEOUT_MS: idleMs } = this.settings;
    const idle = setTimeout(() => end({ code: 'timeout_error', message: `The model API sent no data for ${idleMs} ms.` }), idleMs);
    const recording = passed && this.#recording(passed);
    try {
      const sent = { method, path: target, rawHeaders, body };
      const answered = await this.upstream.send(sent, passed?.requestId ?? 'none', stop.signal).catch(async (error: unknown): Promise<Answered> => {
        const failure = why ?? { code: 'connection_error', message: `The model API could not be reached${codeOf(error)}.` };
        await recording?.record({ answer: null, failure }, null);
        throw new DomainError('unavailable', failure.message, [], { retryAfter: 1 });
      });
      await new Relay(answered, response, recording, () => idle.refresh()).run(() => why);
    } finally {
      clearTimeout(idle);
      response.off('close', gone);
      this.#ends.delete(end);
      stop.abort(); // an answer that could not be passed on is not read any further
    }
  }

  #recording(passed: PassedRequest): Recording {
    const spool = this.#spool(passed);
    const record = async (outcome: Outcome, providerRequestId: string | null): Promise<void> => {
      let isOver = false;
      try {
        await this.exchanges.end(passed, outcome, providerRequestId);
        isOver = true;
      } catch (error) {
        this.#log.error({ msg: 'An answer could not be recorded.', requestId: passed.requestId, error: String(error) });
        const code = error instanceof DomainError ? error.code : null;
        isOver = code === 'session_erased';
        // The session has no place for it, or none now: the client gets its answer.
        if (this.settings.GATEWAY_DURABLE === 'answer' && code !== 'session_erased' && code !== 'session_busy') throw error;
      } finally {
        this.recovery.closed(passed.requestId);
        spool?.close(isOver);
      }
    };
    return { spool, record, isAwaited: this.settings.GATEWAY_DURABLE === 'answer' };
  }

  /** Without a folder to write to, an answer that is under way does not outlive the process. */
  #spool(passed: PassedRequest): Spool | null {
    const warn = (error: unknown): void => this.#log.warn({ msg: 'Answers under way are not kept in DATA_DIR: it cannot be written.', error: String(error) });
    try {
      this.recovery.opened(passed.requestId);
      return Spool.open(path.join(this.settings.DATA_DIR, 'gateway'), passed, warn);
    } catch (error) {
      warn(error);
      return null;
    }
  }
}

/** What the official SDKs read as: send the whole conversation with each request. Its code and shape are those of the API (docs: message threads). */
function refuseThread(response: Response): void {
  const details = { error_code: 'thread_unsupported_request', unsupported: [] };
  const message = 'Message threads are not passed on: a conversation is recorded from the whole history that its requests have.';
  response.status(400).json({ type: 'error', error: { type: 'invalid_request_error', message, details }, request_id: requestIdOf(response) });
}

const STOPPED: Failure = { code: 'connection_error', message: 'The server stopped before the answer was over.' };

/** The system error code, such as ECONNREFUSED. */
function codeOf(error: unknown): string {
  const { code } = loose(error);
  return typeof code === 'string' ? ` (${code})` : '';
}
