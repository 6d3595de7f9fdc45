import http from 'node:http';
import https from 'node:https';
import { PassThrough, pipeline, Readable } from 'node:stream';
import { checkedLookup, requirePublicHost } from './checked-lookup.js';

export interface GuardedFetchOptions {
  /** Whether addresses of this machine and its network may be called. */
  readonly allowPrivate: boolean;
  /** Longest answer, in bytes; a longer one breaks off with an error. */
  readonly maxBytes: number;
}

export interface GuardedInit {
  readonly method?: string;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

/** `redirected`: the answer sends elsewhere, which is never followed. `answer_too_long`: more than `maxBytes`. `unsupported_address`: neither http nor https. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';

  constructor(
    readonly code: 'redirected' | 'answer_too_long' | 'unsupported_address',
    message: string,
  ) {
    super(message);
  }
}

/** Headers that say how a message is sent, which nobody else decides. */
const OURS: ReadonlySet<string> = new Set(['connection', 'content-length', 'expect', 'host', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** Statuses whose answers have no body. */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Calls addresses that somebody else chose. Like `fetch`, with a text or bytes as body; but the address that was checked is the one that is connected to,
 * no redirect is followed, and no answer is longer than allowed. Connections are its own, and shared with nobody.
 */
export class GuardedFetch {
  readonly #agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) };

  constructor(private readonly options: GuardedFetchOptions) {}

  /** Rejects with AddressError, BlockedAddressError, an AbortError, or what the network says. */
  readonly fetch = async (address: string | URL, init: GuardedInit = {}): Promise<Response> => {
    const url = new URL(address);
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new BlockedAddressError('unsupported_address', `Only http and https addresses can be called, not ${url.protocol}`);
    if (!this.options.allowPrivate) requirePublicHost(url);
    const answer = await this.#send(url, url.protocol, init);
    const status = answer.statusCode ?? 0;
    if (status >= 300 && status < 400 && answer.headers.location !== undefined) {
      answer.destroy();
      throw new BlockedAddressError('redirected', `The server answered with a redirect (${status}), which is not followed; use the address it leads to.`);
    }
    const headers = new Headers();
    for (let index = 0; index + 1 < answer.rawHeaders.length; index += 2) headers.append(answer.rawHeaders[index] ?? '', answer.rawHeaders[index + 1] ?? '');
    if (NO_BODY.has(status)) {
      answer.resume();
      return new Response(null, { status, headers });
    }
    return new Response(Readable.toWeb(this.#limited(answer)) as ReadableStream<Uint8Array>, { status, headers });
  };

  /** Ends its connections, busy ones too. */
  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #send(url: URL, protocol: 'http:' | 'https:', { method = 'GET', headers, body, signal }: GuardedInit): Promise<http.IncomingMessage> {
    const { request } = protocol === 'https:' ? https : http;
    const content = body === undefined || body === null ? null : typeof body === 'string' ? Buffer.from(body) : (body as Uint8Array);
    return new Promise((resolve, reject) => {
      const sent = request(url, {
        method,
        agent: this.#agents[protocol],
        headers: {
          ...Object.fromEntries([...new Headers(headers)].filter(([name]) => !OURS.has(name))),
          'accept-encoding': 'identity',
          ...(content === null ? {} : { 'content-length': String(content.byteLength) }),
        },
        ...(this.options.allowPrivate ? {} : { lookup: checkedLookup }),
        ...(signal ? { signal } : {}),
      });
      sent.once('response', resolve);
      sent.on('error', reject);
      sent.end(content ?? undefined);
    });
  }

  #limited(answer: http.IncomingMessage): Readable {
    const { maxBytes } = this.options;
    const body = new PassThrough();
    let bytes = 0;
    answer.on('data', (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) answer.destroy(new BlockedAddressError('answer_too_long', `The answer has more than ${maxBytes} bytes.`));
    });
    // What goes wrong is told to whoever reads the body.
    pipeline(answer, body, () => undefined);
    return body;
  }
}
