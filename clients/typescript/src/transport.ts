import { ProblemError } from './problem.js';
import { pause } from './pause.js';

export interface ClientOptions {
  /** Where the server is, without a path: `https://chat.example.com`. */
  readonly baseUrl: string;
  /** The bearer token, or a function that returns the one that is valid now. Without it a page of the server's own origin uses its cookie; elsewhere only public routes, and streams by ticket, can be used. */
  readonly token?: string | (() => string | Promise<string>);
  /** How often a request is retried, when that is safe; default 4. */
  readonly retries?: number;
  /** Longest pause before a retry, in milliseconds; default 30,000. When the server asks for a longer one, such as until a quota is renewed, the call ends with its error at once. */
  readonly longestPauseMs?: number;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  /** Ends the call, and pauses between its attempts. */
  readonly signal?: AbortSignal;
  /** In place of a random key: a call with the same key and body has its effect once, however often it is made. */
  readonly idempotencyKey?: string;
  /** The version of the session that the call was decided on; the server responds with `version_conflict` when the session has changed. */
  readonly ifVersion?: number;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Call {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body?: unknown;
  /** Takes an idempotency key. */
  readonly keyed: boolean;
  /** Without the token. */
  readonly anonymous?: boolean;
}

/** Longest pause before another attempt, in milliseconds, unless the server asks for a longer one. */
const MAX_PAUSE_MS = 8_000;
/** Longest one that the server may ask for. */
const LONGEST_PAUSE_MS = 30_000;
const FIRST_PAUSE_MS = 250;

/** Sends requests, with credentials and keys, and retries them when that has no second effect. */
export class Transport {
  readonly #fetch: typeof fetch;
  readonly #baseUrl: string;
  readonly #retries: number;

  constructor(private readonly options: ClientOptions) {
    // A browser's fetch must not be called as a method of another object.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.#retries = options.retries ?? 4;
  }

  /** The successful response. Throws `ProblemError` for any other, and what `fetch` throws when there is none. */
  async send(call: Call, options: CallOptions = {}): Promise<Response> {
    const key = call.keyed ? (options.idempotencyKey ?? randomKey()) : undefined;
    for (let attempt = 0; ; attempt += 1) {
      let failure: unknown;
      try {
        const response = await this.once(call, options, key);
        if (response.ok) return response;
        failure = await ProblemError.of(response);
      } catch (error) {
        failure = error;
      }
      if (options.signal?.aborted || attempt >= this.#retries || !mayRepeat(call, failure)) throw failure;
      if (askedPause(failure) > (this.options.longestPauseMs ?? LONGEST_PAUSE_MS)) throw failure;
      await pause(pauseBefore(attempt, failure), options.signal);
    }
  }

  /** One attempt: any response. */
  async once({ method, target, body, anonymous }: Call, { signal, ifVersion, headers }: CallOptions, key?: string): Promise<Response> {
    const token = anonymous ? undefined : await this.#token();
    const isFile = typeof body === 'string' || body instanceof Blob;
    return this.#fetch(this.#baseUrl + target, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': isFile ? 'application/x-ndjson' : 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(ifVersion === undefined ? {} : { 'if-match': `"${ifVersion}"` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async #token(): Promise<string | undefined> {
    const { token } = this.options;
    return typeof token === 'function' ? token() : token;
  }
}

/** A rejected request (429) had no effect. After any other failure the effect is unknown: the request is repeated when it has none, or a key. */
function mayRepeat({ method, keyed }: Call, failure: unknown): boolean {
  if (failure instanceof ProblemError && failure.status === 429) return true;
  if (method !== 'GET' && !keyed) return false;
  return !(failure instanceof ProblemError) || isTransient(failure);
}

/** Whether the same request may succeed later. */
export function isTransient({ status }: ProblemError): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

/** Exponential, with a random part, so that clients do not return all at once; at least what the server asks for. In milliseconds. */
export function pauseBefore(attempt: number, failure: unknown): number {
  const own = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
  return Math.max(own, askedPause(failure));
}

const askedPause = (failure: unknown): number => (failure instanceof ProblemError ? (failure.retryAfter ?? 0) * 1_000 : 0);

/** `crypto.randomUUID` exists in secure contexts only. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
