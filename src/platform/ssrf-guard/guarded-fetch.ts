import http from 'node:http';
import https from 'node:https';
import { addAbortSignal, PassThrough, pipeline, Readable } from 'node:stream';
import { checkedLookup, requirePublicHost } from './checked-lookup.js';

export interface GuardedFetchOptions {
  /** Whether private addresses may be called. */
  readonly allowPrivate: boolean;
  /** The longest response in bytes; a longer one fails. */
  readonly maxBytes: number;
}

export interface GuardedInit {
  readonly method?: string;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

/** `redirected`: redirects are never followed. `answer_too_long`: more than `maxBytes`. `unsupported_address`: neither http nor https. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';

  constructor(
    readonly code: 'redirected' | 'answer_too_long' | 'unsupported_address',
    message: string,
  ) {
    super(message);
  }
}

/** Headers that control the transfer; callers cannot set them. */
const TRANSFER_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Statuses of responses without a body. */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * `fetch` for untrusted URLs, with a string or bytes as the body. It connects to the address that was checked, follows no redirect, and limits the length of the
 * response. Connections are not shared between instances.
 */
export class GuardedFetch {
  readonly #agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) };

  constructor(private readonly options: GuardedFetchOptions) {}

  /** Rejects with AddressError, BlockedAddressError, an AbortError, or a network error. */
  readonly fetch = async (address: string | URL, init: GuardedInit = {}): Promise<Response> => {
    const url = new URL(address);
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new BlockedAddressError('unsupported_address', `Only http and https addresses can be called, not ${url.protocol}`);
    if (!this.options.allowPrivate) requirePublicHost(url);
    const answer = await this.#send(url, url.protocol, init);
    const status = answer.statusCode ?? 0;
    if (status >= 300 && status < 400 && answer.headers.location !== undefined) {
      answer.destroy();
      throw new BlockedAddressError('redirected', `The server answered with a redirect (${status}), which is not followed; configure the target address.`);
    }
    const headers = new Headers();
    for (let index = 0; index + 1 < answer.rawHeaders.length; index += 2) headers.append(answer.rawHeaders[index] ?? '', answer.rawHeaders[index + 1] ?? '');
    if (NO_BODY.has(status)) {
      answer.resume();
      return new Response(null, { status, headers });
    }
    return new Response(Readable.toWeb(this.#limited(answer, init.signal)) as ReadableStream<Uint8Array>, { status, headers });
  };

  /** Closes all connections, including busy ones. */
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
          ...Object.fromEntries([...new Headers(headers)].filter(([name]) => !TRANSFER_HEADERS.has(name))),
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

  #limited(answer: http.IncomingMessage, signal: AbortSignal | null | undefined): Readable {
    const { maxBytes } = this.options;
    const body = new PassThrough();
    if (signal) addAbortSignal(signal, body); // or its reader would be told of a lost connection
    let bytes = 0;
    answer.on('data', (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) answer.destroy(new BlockedAddressError('answer_too_long', `The response has more than ${maxBytes} bytes.`));
    });
    // The reader of the body receives the error.
    pipeline(answer, body, () => undefined);
    return body;
  }
}
