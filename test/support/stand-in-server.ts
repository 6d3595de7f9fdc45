import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { API_VERSIONS, type ApiVersion } from '../../packages/normalizer/api-rules/index.js';
import { compose } from '../../src/engine/model/offline/compose.js';
import { AnswerStream, type StreamEvent } from '../../src/engine/model/stream.js';

/** A fault injected into one request. `after` counts events of the stream. */
export type Fault =
  | {
      readonly kind: 'error-response';
      readonly status: number;
      readonly type?: string;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly details?: { readonly error_code: string; readonly [member: string]: unknown };
    }
  /** A response with this body, such as a proxy's error page. */
  | { readonly kind: 'page'; readonly status: number; readonly contentType: string; readonly text: string }
  /** Destroys (`cut`), closes (`end`), or stalls the stream, or sends invalid data. */
  | { readonly kind: 'cut' | 'end' | 'stall' | 'garbage'; readonly after: number }
  | { readonly kind: 'error'; readonly after: number; readonly type: string; readonly message: string }
  /** Streams so many events, and the rest once it is released. */
  | { readonly kind: 'hold'; readonly after: number; readonly released: Promise<unknown> }
  /** Never responds. */
  | { readonly kind: 'silence' }
  /** Writes byte by byte, which splits frames and characters. */
  | { readonly kind: 'bytes' }
  /** Sends these events instead. */
  | { readonly kind: 'events'; readonly events: readonly StreamEvent[] };

/** An answer that is held in its middle until `release`: what is done meanwhile is done while it streams. */
export function held(after = 6): { readonly fault: Fault; readonly release: () => void } {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  return { fault: { kind: 'hold', after, released }, release };
}

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Resolves when the response has ended or the client has disconnected. */
  readonly closed: Promise<unknown>;
}

export interface StandIn {
  readonly url: string;
  readonly received: readonly Received[];
  /** Queues faults for the next requests, one per request. */
  next(...faults: readonly Fault[]): void;
  /** Whether no request has had the fault yet. */
  isQueued(fault: Fault): boolean;
  /** Takes a queued fault back; false when a request has had it. */
  withdraw(fault: Fault): boolean;
  close(): Promise<void>;
}

/**
 * A stand-in for the model API, over HTTP on 127.0.0.1: `POST /v1/messages`, streamed or not. Responses come from the offline model, with the API's
 * request validation, envelope, headers and frames (docs: Errors; Streaming messages). `apiKey`: the only accepted key; absent: any.
 */
export async function startStandIn(settings: { readonly apiKey?: string } = {}): Promise<StandIn> {
  const received: Received[] = [];
  const queue: Fault[] = [];
  const failed = new Set<string>();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(request);
    received.push({ headers: request.headers, body, closed: once(response, 'close') });
    const reply = new Reply(response, `req_011C${createHash('sha256').update(`${received.length} ${body}`).digest('hex').slice(0, 20)}`);
    const rejected = authorize(request, settings.apiKey);
    if (rejected) return reply.error(...rejected);
    const fault = queue.shift();
    if (fault?.kind === 'silence') return;
    if (fault?.kind === 'error-response') return reply.error(fault.status, fault.type, fault.message, fault.headers, fault.details);
    if (fault?.kind === 'page') return reply.page(fault.status, fault.contentType, fault.text);

    // As from the API, equal requests get answers of different ids.
    const salt = String(received.length);
    const betas = String(request.headers['anthropic-beta'] ?? '').split(',');
    const script = compose(body, ordinalOf(body, failed), salt, null, { betas, apiVersion: versionOf(request)! });
    if (script.kind === 'error') {
      failed.add(promptKey(body));
      const { status, type, message, retryAfterSeconds } = script;
      return reply.error(status, type, message, retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) });
    }
    const events = fault?.kind === 'events' ? fault.events : script.events;
    if ((JSON.parse(body) as { stream?: unknown }).stream !== true) return reply.whole(events);
    return reply.stream(events, fault, script.delayMs);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    next: (...faults) => void queue.push(...faults),
    isQueued: (fault) => queue.includes(fault),
    withdraw: (fault) => {
      const at = queue.indexOf(fault);
      if (at >= 0) queue.splice(at, 1);
      return at >= 0;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const MAX_BODY_BYTES = 32 * 1024 * 1024;

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

type Rejected = readonly [status: number, type?: string, message?: string];

/** Checks method, path, size and headers, before the body is parsed. */
function authorize({ method, url, headers }: IncomingMessage, apiKey: string | undefined): Rejected | null {
  if (method !== 'POST' || url?.split('?')[0] !== '/v1/messages') return [404, 'not_found_error', 'Not found'];
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) return [413, 'request_too_large', 'Request exceeds the maximum size'];
  const given = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
  if (apiKey !== undefined && given === undefined) return [401, 'authentication_error', 'x-api-key header is required'];
  if (apiKey !== undefined && given !== apiKey) return [401, 'authentication_error', 'invalid x-api-key'];
  if (headers['anthropic-version'] === undefined) return [400, 'invalid_request_error', 'anthropic-version: header is required'];
  if (!versionOf({ headers })) return [400, 'invalid_request_error', 'anthropic-version: the header names no version of the API'];
  return null;
}

const versionOf = ({ headers }: Pick<IncomingMessage, 'headers'>): ApiVersion | undefined =>
  API_VERSIONS.find((version) => version === headers['anthropic-version']);

/** A fail directive applies once: a repeated body counts as a later request of the turn. */
const ordinalOf = (body: string, failed: ReadonlySet<string>): number => (failed.has(promptKey(body)) ? 2 : 1);
const promptKey = (body: string): string => createHash('sha256').update(body).digest('hex');

class Reply {
  constructor(
    private readonly response: ServerResponse,
    private readonly requestId: string,
  ) {}

  error(
    status: number,
    type = 'invalid_request_error',
    message = 'The request is invalid.',
    headers: Readonly<Record<string, string>> = {},
    details?: object,
  ): void {
    this.head(status, { 'content-type': 'application/json', ...(status < 500 && status !== 429 ? { 'x-should-retry': 'false' } : {}), ...headers });
    this.response.end(JSON.stringify({ type: 'error', error: { type, message, ...(details ? { details } : {}) }, request_id: this.requestId }));
  }

  page(status: number, contentType: string, text: string): void {
    this.response.writeHead(status, { 'content-type': contentType });
    this.response.end(text);
  }

  whole(events: readonly StreamEvent[]): void {
    const stream = new AnswerStream();
    for (const event of events) stream.take(event);
    this.head(200, { 'content-type': 'application/json' });
    this.response.end(JSON.stringify(stream.answer().message));
  }

  async stream(events: readonly StreamEvent[], fault: Fault | undefined, delayMs: number): Promise<void> {
    const { response } = this;
    this.head(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
    response.flushHeaders();
    const after = fault && 'after' in fault ? fault.after : Infinity;
    for (const [index, event] of events.entries()) {
      if (response.destroyed) return;
      if (index === after) {
        if (fault?.kind === 'stall') return;
        if (fault?.kind === 'hold') await fault.released;
        if (fault?.kind === 'end') break;
        if (fault?.kind === 'cut') return void response.destroy();
        if (fault?.kind === 'garbage') await write(response, Buffer.from('event: content_block_delta\ndata: {"type":"content_block_de\n\n'));
        if (fault?.kind === 'error') {
          const { type, message } = fault;
          await write(response, frame({ type: 'error', error: { type, message } }, 0));
          break;
        }
      }
      const bytes = frame(event, index % 5);
      if (fault?.kind === 'bytes') for (let at = 0; at < bytes.length; at += 1) await write(response, bytes.subarray(at, at + 1));
      else await write(response, bytes);
      if (delayMs > 0 && event.type === 'content_block_delta') await setTimeout(delayMs);
    }
    response.end();
  }

  private head(status: number, headers: Readonly<Record<string, string>>): void {
    this.response.writeHead(status, { 'request-id': this.requestId, 'anthropic-organization-id': 'ab8f7a3c-0000-4000-8000-000000000000', ...headers });
  }
}

/** The API pads its frames with spaces before the last brace, so that clients parse them instead of comparing text. */
function frame(event: StreamEvent, padding: number): Buffer {
  const json = JSON.stringify(event);
  return Buffer.from(`event: ${event.type}\ndata: ${json.slice(0, -1)}${' '.repeat(padding)}}\n\n`);
}

/** Resolves when the bytes are flushed, so that each write is a separate chunk. */
const write = (response: ServerResponse, bytes: Buffer): Promise<void> =>
  new Promise((resolve) => {
    if (response.destroyed) resolve();
    else response.write(bytes, () => resolve());
  });
