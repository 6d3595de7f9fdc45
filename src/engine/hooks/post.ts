import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from '../../platform/ssrf-guard/public-address.js';
import { type Address, literalAddress, type Resolve } from './addresses.js';

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For name resolution, connecting, sending and reading the answer together. */
  readonly timeoutMs: number;
  /** The longest answer that is read. */
  readonly maxBytes: number;
  /** Whether only public addresses over TLS may be called. */
  readonly publicOnly: boolean;
  readonly resolve: Resolve;
}

/** How a call ended: with an answer, or why there is none. */
export type PostOutcome =
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  | { readonly kind: 'timeout' | 'output_limit' | 'aborted' | 'not_public' | 'unencrypted' | 'encoded' }
  | { readonly kind: 'failed'; readonly code: string };

/** Responses with a 1xx status. */
const MAX_INTERIM_RESPONSES = 16;

const HEADER_BYTES = 16 * 1024;

/**
 * One POST on its own connection, which is always closed. Redirects are not followed. Connects to the addresses that were checked, so a DNS record that changes
 * after the check has no effect. Never rejects.
 */
export function post(call: Post, signal: AbortSignal): Promise<PostOutcome> {
  return new Promise((resolve) => {
    const literal = literalAddress(call.url);
    if (signal.aborted) return resolve({ kind: 'aborted' });
    if (call.publicOnly && call.url.protocol !== 'https:') return resolve({ kind: 'unencrypted' });
    if (call.publicOnly && literal !== null && !isPublicAddress(literal)) return resolve({ kind: 'not_public' });

    let request: http.ClientRequest | null = null;
    let isComplete = false;
    const lookupAbort = new AbortController();
    const complete = (outcome: PostOutcome) => {
      if (isComplete) return;
      isComplete = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      request?.destroy();
      lookupAbort.abort();
      resolve(outcome);
    };
    const onAbort = () => complete({ kind: 'aborted' });
    const timer = setTimeout(() => complete({ kind: 'timeout' }), call.timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });

    const { request: open } = call.url.protocol === 'https:' ? https : http;
    const body = Buffer.from(call.body);
    try {
      request = open(call.url, {
        method: 'POST',
        agent: false,
        maxHeaderSize: HEADER_BYTES,
        lookup: lookupFor(call, lookupAbort.signal, () => complete({ kind: 'not_public' })),
        headers: { ...call.headers, 'content-length': body.length, 'accept-encoding': 'identity', connection: 'close' },
      });
    } catch (error) {
      return complete({ kind: 'failed', code: codeOf(error) });
    }
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM_RESPONSES) complete({ kind: 'output_limit' });
    });
    request.on('error', (error) => complete({ kind: 'failed', code: codeOf(error) }));
    request.on('upgrade', () => complete({ kind: 'failed', code: 'UPGRADE' }));
    request.on('response', (response) => {
      const encoding = response.headers['content-encoding'];
      if (encoding !== undefined && encoding !== 'identity') return complete({ kind: 'encoded' });
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > call.maxBytes) return complete({ kind: 'output_limit' });
        chunks.push(chunk);
      });
      response.on('error', (error) => complete({ kind: 'failed', code: codeOf(error) }));
      response.on('end', () => complete({ kind: 'answer', status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }));
    });
    request.end(body);
  });
}

/** Resolves for the socket. A name with one address that is not public is rejected as a whole. */
function lookupFor({ publicOnly, resolve }: Post, signal: AbortSignal, reject: () => void): LookupFunction {
  return (hostname, options, answer) => {
    const connect = (found: readonly Address[]) => {
      const [first] = found;
      if (!first) return answer(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');
      if (publicOnly && !found.every(({ address }) => isPublicAddress(address))) {
        reject();
        return answer(Object.assign(new Error('not a public address'), { code: 'ENOTPUBLIC' }), '');
      }
      if (options.all) return answer(null, found as Address[]);
      return answer(null, first.address, first.family);
    };
    resolve(hostname, signal).then(connect, (error: unknown) => answer(error as NodeJS.ErrnoException, ''));
  };
}

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown }).code ?? 'unknown');
