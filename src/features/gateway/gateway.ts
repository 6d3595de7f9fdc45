import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { Failure } from '../../../packages/protocol/events/events.js';
import { leaveDoor } from '../../http/access/tenant-door.js';
import { readBody } from '../../http/body/read-body.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import type { Outcome } from './answer-reader.js';
import { withoutThreadsBeta } from './betas.js';
import { decoded, READABLE } from './decoding.js';
import { type Begun, Exchanges } from './exchanges.js';
import { type HeldAnswer, heldAnswer } from './held-answer.js';
import { CLIENT_GONE, headOf, type Recording, Relay } from './relay.js';
import { readConversation } from './sent-conversation.js';
import { type PassedRequest, Spool } from './spool.js';
import { SpoolRecovery } from './spool-recovery.js';
import { ThreadRefusal } from './thread-refusal.js';
import { Threads } from './threads.js';
import { type Answered, type Passed, Upstream } from './upstream.js';

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
    private readonly threads: Threads,
    private readonly recovery: SpoolRecovery,
    @Inject(SETTINGS) private readonly settings: Pick<
      Settings,
      'MAX_BODY_BYTES' | 'MODEL_TIMEOUT_MS' | 'GATEWAY_DURABLE' | 'GATEWAY_THREADS' | 'DATA_DIR' | 'SHUTDOWN_GRACE_MS'
    >,
  ) {}

  /**
   * `target`: the path at the model API, with the query. `recorded`: a request for an answer. `counted`: one that may cost or change something, which needs the right to create sessions and stays within
   * quotas. `free`: one that every caller may send.
   */
  async pass(caller: AuthorizedCaller, request: Request, response: Response, target: string, kind: 'recorded' | 'counted' | 'free'): Promise<void> {
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
    const body = hasBody ? await readBody(request, this.settings.MAX_BODY_BYTES) : null;
    const conversation = kind === 'recorded' && body ? await readConversation(plain(request, body, this.settings.MAX_BODY_BYTES)) : null;
    const repaired = kind === 'free' && body ? await this.#repairedCount(caller, request, body, target) : null;
    if (conversation?.thread && this.settings.GATEWAY_THREADS === 'off') throw new ThreadRefusal('thread_unsupported_request', THREADS_OFF);
    if (!conversation && kind !== 'free') await this.exchanges.admit(caller, () => jsonOf(request, body, this.settings.MAX_BODY_BYTES));
    const key = await this.upstream.keyFor(caller.tenantId);
    const begun = conversation && (await this.exchanges.begin(caller, request.headers, conversation));
    leaveDoor(response);
    if (repaired !== null) response.setHeader('x-verbatim-repairs', '1');
    const running = this.#forward(caller, request, response, {
      target,
      body: repaired ?? body,
      isPlain: repaired !== null,
      begun,
      key,
      isUnread: kind === 'recorded' && !begun,
    });
    this.#running.add(running);
    await running.finally(() => this.#running.delete(running));
  }

  /** What is counted of a conversation that was repaired is what would be sent. Null: the client's bytes. */
  async #repairedCount(caller: AuthorizedCaller, request: Request, body: Buffer, target: string): Promise<Buffer | null> {
    if (!COUNT.test(target)) return null;
    try {
      const conversation = await readConversation(plain(request, body, this.settings.MAX_BODY_BYTES));
      const text = conversation && (await this.exchanges.repairedText(caller, request.headers, conversation));
      return text === null ? null : Buffer.from(text);
    } catch {
      return null; // the model API says what is wrong with it
    }
  }

  /** Answers that are under way are recorded before the database closes: those that are not over after the grace as far as they came. */
  async beforeApplicationShutdown(): Promise<void> {
    const over = Promise.allSettled(this.#running);
    const grace = setTimeout(() => {
      for (const end of this.#ends) end(STOPPED);
    }, this.settings.SHUTDOWN_GRACE_MS);
    await over.finally(() => clearTimeout(grace));
  }

  async #forward(caller: AuthorizedCaller, request: Request, response: Response, { target, body, isPlain, begun, key, isUnread }: Forwarded): Promise<void> {
    const { method } = request;
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
    const idle = setTimeout(
      () => end(response.writableNeedDrain ? notRead(idleMs) : { code: 'timeout_error', message: `The model API sent no data for ${idleMs} ms.` }),
      idleMs,
    );
    const send = async (one: Begun | null): Promise<Sent> => {
      const recording = one && this.#recording(one.passed);
      if (one) describe(response, one);
      const sent = { method, path: target, key, ...asSent(request, body, isPlain, one) };
      const answered = await this.upstream.send(sent, one?.passed.requestId ?? 'none', stop.signal).catch(async (error: unknown): Promise<Answered> => {
        const failure = why ?? { code: 'connection_error', message: `The model API could not be reached${codeOf(error)}.` };
        await recording?.record({ answer: null, failure }, null);
        throw new DomainError('unavailable', failure.message, [], { retryAfter: 1 });
      });
      return { answered, recording };
    };
    try {
      const first = await send(begun);
      if (isUnread && first.answered.status < 400) throw new DomainError('invalid_input', UNREAD);
      const sent =
        begun && first.answered.status === 400 ? await this.#repaired(caller, request, response, { first, begun, send, refresh: () => idle.refresh() }) : first;
      await new Relay(sent.answered, response, sent.recording, () => idle.refresh()).run(() => why);
    } finally {
      clearTimeout(idle);
      response.off('close', gone);
      this.#ends.delete(end);
      stop.abort(); // an answer that could not be passed on is not read any further
    }
  }

  /** What the client gets of a request that the model API has refused: the answer to the repaired one; the refusal, when it cannot be repaired or that is refused, too. */
  async #repaired(caller: AuthorizedCaller, request: Request, response: Response, { first, begun, send, refresh }: RefusedFirst): Promise<Sent> {
    const { answered, refusal } = await heldAnswer(first.answered, refresh);
    if (!refusal) return { ...first, answered };
    await recordRefusal(first.recording, answered, refusal);
    // When the repaired request cannot be recorded, such as in a session that was erased meanwhile, the client gets the refusal.
    const again = await this.exchanges.again(caller, request.headers, begun, refusal.error).catch((error: unknown) => {
      this.#log.warn({ msg: 'A repaired request could not be recorded.', requestId: begun.passed.requestId, error: String(error) });
      return null;
    });
    if (!again) return { answered, recording: null };
    const second = await send(again);
    if (second.answered.status !== 400) return second;
    const held = await heldAnswer(second.answered, refresh);
    if (!held.refusal) return { ...second, answered: held.answered };
    await recordRefusal(second.recording, held.answered, held.refusal);
    describe(response, begun);
    return { answered, recording: null };
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
    // Until it is in the log, an answer that is continued is known to be under way. When this fails, it is not known at all.
    const named = (answerId: string): void => void this.threads.name(passed, answerId).catch(() => undefined);
    return { spool, record, named, isAwaited: this.settings.GATEWAY_DURABLE === 'answer' };
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

interface Forwarded {
  readonly target: string;
  readonly body: Buffer | null;
  /** Whether the body is without the coding that the client has given it. */
  readonly isPlain: boolean;
  readonly begun: Begun | null;
  readonly key: string | null;
  /** A request for an answer that this server cannot read, and so cannot record. */
  readonly isUnread: boolean;
}

interface Sent {
  readonly answered: Answered;
  readonly recording: Recording | null;
}

interface RefusedFirst {
  readonly first: Sent;
  readonly begun: Begun;
  readonly send: (again: Begun) => Promise<Sent>;
  /** The model API has sent something. */
  readonly refresh: () => void;
}

/** Before anything else is done about it: a process that ends from then on leaves no request whose refusal is lost. */
async function recordRefusal(recording: Recording | null, answered: Answered, { outcome, bytes }: NonNullable<HeldAnswer['refusal']>): Promise<void> {
  recording?.spool?.begin(headOf(answered));
  recording?.spool?.write(bytes);
  await recording?.record(outcome, headOf(answered).providerRequestId);
}

/** Where the request is in the log, and whether it went out as it came. */
function describe(response: Response, { passed, repaired }: Begun): void {
  response.setHeader('x-verbatim-session', passed.sessionId);
  response.setHeader('x-verbatim-request', passed.requestId);
  if (repaired) response.setHeader('x-verbatim-repairs', '1');
  else response.removeHeader('x-verbatim-repairs');
}

/** The bytes of a body without its coding. */
function plain({ headers }: Request, body: Buffer, maxBytes: number): Buffer {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (!READABLE.has(encoding))
    throw new DomainError('unsupported_media_type', `A body in the coding ${encoding.slice(0, 40)} cannot be recorded; send it as it is, or as gzip.`);
  try {
    return decoded(body, encoding, maxBytes);
  } catch {
    throw new DomainError('invalid_input', `The body is not ${encoding}, or exceeds ${maxBytes} bytes.`);
  }
}

/** The text of a body; null: there is none, or it is the form of an upload, which no server reads as JSON. Throws for any other that is not JSON in UTF-8. */
function jsonOf(request: Request, body: Buffer | null, maxBytes: number): string | null {
  if (body === null || body.length === 0) return null;
  const bytes = plain(request, body, maxBytes);
  const text = bytes.toString();
  if (text.startsWith('--')) return null;
  try {
    JSON.parse(text);
    if (isUtf8(bytes)) return text;
  } catch {
    // Said below.
  }
  throw new DomainError('invalid_input', 'The request body is not JSON in UTF-8, so it cannot be seen which models it asks.');
}

function asSent({ rawHeaders }: Request, body: Buffer | null, isPlain: boolean, begun: Begun | null): Pick<Passed, 'rawHeaders' | 'body'> {
  if (!isPlain && (begun === null || begun.text === null)) return { rawHeaders, body };
  const plain = rawHeaders.filter((_, at) => rawHeaders[at - (at % 2)]!.toLowerCase() !== 'content-encoding');
  if (begun === null || begun.text === null) return { rawHeaders: plain, body };
  return { rawHeaders: begun.conversation.thread ? withoutThreadsBeta(plain) : plain, body: Buffer.from(begun.text) };
}

const COUNT = /^\/v1\/messages\/count_tokens(\?|$)/;

/** The model API has read what this server has not: the answer would be one without a record. */
const UNREAD = 'The request body is not JSON with a list of messages, so that an answer to it cannot be recorded; it was not passed back.';

/** The official SDKs read its code as: send the whole conversation with each request. */
const THREADS_OFF = 'This server keeps no message threads: GATEWAY_THREADS is off. Send the whole conversation without thread.';

/** What the model API sends next is not read as long as the client does not read. */
const notRead = (milliseconds: number): Failure => ({
  code: 'client_disconnected',
  message: `The client read nothing of the answer for ${milliseconds} ms, and its connection was closed.`,
});

const STOPPED: Failure = { code: 'connection_error', message: 'The server stopped before the answer was over.' };

/** The system error code, such as ECONNREFUSED. */
function codeOf(error: unknown): string {
  const { code } = loose(error);
  return typeof code === 'string' ? ` (${code})` : '';
}
