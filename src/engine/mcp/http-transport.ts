import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { GuardedFetch, type GuardedInit } from '../../platform/ssrf-guard/guarded-fetch.js';
import { MessageSizeGuard } from './message-size-guard.js';
import { abortable } from '../../platform/async/abortable.js';
import { rewrittenResponse } from './rewritten-response.js';
import type { HttpServer, McpSettings } from './server.js';
import { withWrittenContent } from './written-content.js';

/** Bounds of the server's own retry delay after a stream has ended, in milliseconds. */
const RECONNECT_MIN_MS = 1_000;
const RECONNECT_MAX_MS = 60_000;

/** How much longer than its caller waits a request may hold its connection, in milliseconds. */
const GRACE_MS = 1_000;

export interface OpenTransport {
  readonly transport: StreamableHTTPClientTransport;
  /** Ends the server's session and closes the connections. Never rejects. */
  readonly release: () => Promise<void>;
}

export function httpTransport({ url, headers, allowPrivate }: HttpServer, { messageBytes, callTimeoutMs }: McpSettings): OpenTransport {
  const outbound = new GuardedFetch({ allowPrivate, maxBytes: messageBytes });
  const bounded = (address: string | URL, init: GuardedInit = {}): Promise<Response> => {
    // A GET is the stream that stays open; any other request ends with its response.
    if (init.method === 'GET') return outbound.fetch(address, init);
    const limit = AbortSignal.timeout(callTimeoutMs + GRACE_MS);
    return outbound.fetch(address, { ...init, signal: init.signal ? AbortSignal.any([init.signal, limit]) : limit });
  };
  const written = async (address: string | URL, init?: GuardedInit): Promise<Response> => rewrittenResponse(await bounded(address, init), withWrittenContent);
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers }, redirect: 'error' },
    fetch: written as typeof fetch,
    reconnectionScheduler: (reconnect, delay) => {
      const timer = setTimeout(reconnect, Math.min(Math.max(delay, RECONNECT_MIN_MS), RECONNECT_MAX_MS));
      return () => clearTimeout(timer);
    },
  });
  const guard = new MessageSizeGuard(Infinity, () => {
    transport.onerror?.(new Error('the server exceeds the message rate limit'));
    void transport.close();
  });
  // The client calls a handler that is set before `connect` for each message, before its own.
  transport.onmessage = () => guard.count(1, 0);
  const release = async (): Promise<void> => {
    await abortable(transport.terminateSession(), AbortSignal.timeout(GRACE_MS)).catch(() => undefined);
    await transport.close();
    outbound.close();
  };
  return { transport, release };
}
