import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from '../../ssrf-guard/public-address.js';
import { type Address, literalAddress, type Resolve } from './addresses.js';

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For all of it: finding the address, connecting, sending, reading the answer. */
  readonly timeoutMs: number;
  /** The longest answer that is read. */
  readonly maxBytes: number;
  /** Whether it may go to the open internet only, and then under TLS. */
  readonly publicOnly: boolean;
  readonly resolve: Resolve;
}

/** How a call ended: with an answer, or why there is none. */
export type PostOutcome =
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  | { readonly kind: 'timeout' | 'flood' | 'stopped' | 'not_public' | 'unencrypted' | 'encoded' }
  | { readonly kind: 'failed'; readonly code: string };

/** A server may send word that the answer takes longer; this often. */
const MOST_INTERIM_ANSWERS = 16;

const HEADER_BYTES = 16 * 1024;

/**
 * One POST on a connection of its own, which is closed whatever happens. Redirects are answers like any other. Connects to the very addresses that were
 * checked: a name that means something else a moment later changes nothing. Never rejects.
 */
export function post(call: Post, signal: AbortSignal): Promise<PostOutcome> {
  return new Promise((resolve) => {
    const literal = literalAddress(call.url);
    if (signal.aborted) return resolve({ kind: 'stopped' });
    if (call.publicOnly && call.url.protocol !== 'https:') return resolve({ kind: 'unencrypted' });
    if (call.publicOnly && literal !== null && !isPublicAddress(literal)) return resolve({ kind: 'not_public' });

    let request: http.ClientRequest | null = null;
    let settled = false;
    const over = new AbortController();
    const settle = (outcome: PostOutcome) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      request?.destroy();
      over.abort();
      resolve(outcome);
    };
    const onAbort = () => settle({ kind: 'stopped' });
    const timer = setTimeout(() => settle({ kind: 'timeout' }), call.timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });

    const { request: open } = call.url.protocol === 'https:' ? https : http;
    const body = Buffer.from(call.body);
    try {
      request = open(call.url, {
        method: 'POST',
        agent: false,
        maxHeaderSize: HEADER_BYTES,
        lookup: lookupFor(call, over.signal, () => settle({ kind: 'not_public' })),
        headers: { ...call.headers, 'content-length': body.length, 'accept-encoding': 'identity', connection: 'close' },
      });
    } catch (error) {
      return settle({ kind: 'failed', code: codeOf(error) });
    }
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > MOST_INTERIM_ANSWERS) settle({ kind: 'flood' });
    });
    request.on('error', (error) => settle({ kind: 'failed', code: codeOf(error) }));
    request.on('upgrade', () => settle({ kind: 'failed', code: 'UPGRADE' }));
    request.on('response', (response) => {
      const encoding = response.headers['content-encoding'];
      if (encoding !== undefined && encoding !== 'identity') return settle({ kind: 'encoded' });
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > call.maxBytes) return settle({ kind: 'flood' });
        chunks.push(chunk);
      });
      response.on('error', (error) => settle({ kind: 'failed', code: codeOf(error) }));
      response.on('end', () => settle({ kind: 'answer', status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }));
    });
    request.end(body);
  });
}

/** Hands the connection only addresses that passed; one that does not spoils the name. */
function lookupFor({ publicOnly, resolve }: Post, over: AbortSignal, refuse: () => void): LookupFunction {
  return (hostname, options, answer) => {
    const hand = (found: readonly Address[]) => {
      const [first] = found;
      if (!first) return answer(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');
      if (publicOnly && !found.every(({ address }) => isPublicAddress(address))) {
        refuse();
        return answer(Object.assign(new Error('not a public address'), { code: 'ENOTPUBLIC' }), '');
      }
      if (options.all) return answer(null, found as Address[]);
      return answer(null, first.address, first.family);
    };
    resolve(hostname, over).then(hand, (error: unknown) => answer(error as NodeJS.ErrnoException, ''));
  };
}

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown }).code ?? 'unknown');
