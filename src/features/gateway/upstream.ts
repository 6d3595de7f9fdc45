import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { answersOffline } from '../../platform/config/offline.js';
import { READABLE } from './decoding.js';
import { UpstreamKeys } from '../../ports/index.js';
import { offlineAnswer } from './offline-answers.js';

/** A request on its way to the model API. */
export interface Passed {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer | null;
  /** Null: no key of this server. */
  readonly key: string | null;
}

/** What came back. */
export interface Answered {
  readonly status: number;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body: AsyncIterable<Buffer>;
}

/** A kept connection that the other side has closed is noticed within this time, milliseconds: a request that was cut later may have been worked on. */
const STALE_MS = 5_000;

/** Of one connection only (RFC 9110), and what is sent anew. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
const REPLACED = [...HOP_BY_HOP, 'host', 'content-length', 'expect', 'cookie', 'accept-encoding'];
const KEYS = ['authorization', 'x-api-key'];
const OWN = /^x-verbatim-/;
/** A cookie of the model API is for its own client, which is this server. */
const NOT_ANSWERED: ReadonlySet<string> = new Set([...HOP_BY_HOP, 'set-cookie']);

/** The model API, as a place to which bytes go and from which bytes come. */
@Injectable()
export class Upstream implements OnApplicationShutdown {
  readonly #base: URL;
  readonly #key: string | undefined;
  readonly #isOffline: boolean;
  readonly #forwards: boolean;
  readonly #replaced: ReadonlySet<string>;
  readonly #agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) };

  constructor(
    @Inject(SETTINGS) settings: Pick<Settings, 'ANTHROPIC_BASE_URL' | 'ANTHROPIC_API_KEY' | 'UPSTREAM_AUTH'>,
    private readonly keys: UpstreamKeys,
  ) {
    const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY, UPSTREAM_AUTH } = settings;
    const forwards = UPSTREAM_AUTH === 'forward';
    this.#base = new URL(ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com');
    this.#forwards = forwards;
    this.#key = forwards ? undefined : ANTHROPIC_API_KEY;
    this.#replaced = new Set(forwards ? REPLACED : [...REPLACED, ...KEYS]);
    this.#isOffline = answersOffline(settings) && !forwards;
  }

  onApplicationShutdown(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /** The key that requests of a tenant go out with: its own, or that of the deployment; null: none, or that of the caller. */
  async keyFor(tenantId: string): Promise<string | null> {
    if (this.#forwards || this.#isOffline) return null;
    return (await this.keys.of(tenantId)) ?? this.#key ?? null;
  }

  /** Resolves with the head of the answer. */
  async send(passed: Passed, requestId: string, signal: AbortSignal): Promise<Answered> {
    if (this.#isOffline) return offlineAnswer(passed, requestId);
    const answer = await this.#request(passed, signal);
    return { status: answer.statusCode ?? 502, rawHeaders: answer.rawHeaders, body: answer };
  }

  #request(passed: Passed, signal: AbortSignal): Promise<IncomingMessage> {
    const { method, path, rawHeaders, body, key } = passed;
    const protocol = this.#base.protocol === 'http:' ? 'http:' : 'https:';
    const { request } = protocol === 'https:' ? https : http;
    const headers = [...passedHeaders(rawHeaders, this.#replaced).filter(([name]) => !OWN.test(name.toLowerCase())), ...this.#own(rawHeaders, body, key)];
    return new Promise((resolve, reject) => {
      const sent = request({
        ...{ protocol, method, signal, agent: this.#agents[protocol], hostname: this.#base.hostname.replace(/^\[|\]$/g, ''), port: this.#base.port },
        path: this.#base.pathname.replace(/\/$/, '') + path,
        headers: headers.flat() as never,
      });
      let isAnswered = false;
      const began = performance.now();
      const isStale = (error: Error): boolean => sent.reusedSocket && isClosed(error) && !isAnswered && performance.now() - began < STALE_MS;
      sent.once('response', (answer) => {
        isAnswered = true;
        resolve(answer);
      });
      // A connection that was kept may be closed by the other side at the moment at which it is used again: the request goes out on another one, as the documentation of Node.js advises.
      sent.on('error', (error) => (isStale(error) && !signal.aborted ? resolve(this.#request(passed, signal)) : reject(error)));
      sent.once('upgrade', (_answer, socket) => {
        socket.destroy();
        reject(new Error('the model API answered with another protocol'));
      });
      sent.once('close', () => reject(new Error('the connection was closed before an answer')));
      sent.end(body ?? undefined);
    });
  }

  #own(rawHeaders: readonly string[], body: Buffer | null, key: string | null): readonly (readonly [string, string])[] {
    const accepted = valueOf(rawHeaders, 'accept-encoding');
    const readable = accepted?.split(',').filter((coding) => READABLE.has(coding.trim().split(';')[0]!.toLowerCase()));
    return [
      ['host', this.#base.host],
      ...(key === null ? [] : [['x-api-key', key] as const]),
      ...(readable === undefined ? [] : [['accept-encoding', readable.join(',').trim() || 'identity'] as const]),
      ...(body === null ? [] : [['content-length', String(body.length)] as const]),
    ];
  }
}

const isClosed = (error: Error & { readonly code?: unknown }): boolean => error.code === 'ECONNRESET' || error.code === 'EPIPE';

/** The headers of an answer that the client gets. */
export const answeredHeaders = (rawHeaders: readonly string[]): readonly string[] => passedHeaders(rawHeaders, NOT_ANSWERED).flat();

function passedHeaders(rawHeaders: readonly string[], without: ReadonlySet<string>): readonly (readonly [string, string])[] {
  const named = new Set((valueOf(rawHeaders, 'connection') ?? '').split(',').map((name) => name.trim().toLowerCase()));
  named.delete('content-encoding'); // the body keeps its coding
  return pairs(rawHeaders).filter(([name]) => !without.has(name.toLowerCase()) && !named.has(name.toLowerCase()));
}

const pairs = (rawHeaders: readonly string[]): readonly (readonly [string, string])[] =>
  Array.from({ length: rawHeaders.length / 2 }, (_, index) => [rawHeaders[2 * index]!, rawHeaders[2 * index + 1]!] as const);

export const valueOf = (rawHeaders: readonly string[], wanted: string): string | undefined =>
  pairs(rawHeaders).find(([name]) => name.toLowerCase() === wanted)?.[1];
