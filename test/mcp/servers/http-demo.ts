import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { demoServer } from './demo-server.js';

export interface HttpDemo {
  readonly url: string;
  /** Headers of each request, in order. */
  readonly requests: readonly IncomingMessage[];
  readonly seen: readonly string[];
  /** As after a restart: no session is known any more. */
  forget(): void;
  readonly sessions: () => number;
  close(): Promise<void>;
}

/** The demo server over streamable HTTP, with sessions; or, as `newest`, of the newest revision alone. */
export async function httpDemo(kind: 'sessions' | 'newest' = 'sessions'): Promise<HttpDemo> {
  const seen: string[] = [];
  const requests: IncomingMessage[] = [];
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const newest = createMcpHandler(() => demoServer((what) => seen.push(what)), { legacy: 'reject' });
  const answer = async (request: Request): Promise<Response> => {
    if (kind === 'newest') return newest.fetch(request);
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : sessions.get(id);
    if (known) return known.handleRequest(request);
    if (id !== null) return new Response('no such session', { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await demoServer((what) => seen.push(what)).connect(transport);
    return transport.handleRequest(request);
  };
  const { url, close } = await serve((request, response) => {
    requests.push(request);
    void pass(request, response, answer);
  });
  return { url, requests, seen, sessions: () => sessions.size, forget: () => sessions.clear(), close };
}

/** An HTTP server on a free port. */
export async function serve(listener: RequestListener): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function pass(request: IncomingMessage, response: ServerResponse, answer: (request: Request) => Promise<Response>): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  const headers = Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as [string, string]] : []));
  const answered = await answer(
    new Request(`http://${request.headers.host ?? ''}${request.url ?? ''}`, {
      method: request.method ?? 'GET',
      headers,
      signal: gone.signal,
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    }),
  );
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  if (!answered.body) return void response.end();
  response.flushHeaders();
  Readable.fromWeb(answered.body as never)
    .on('error', () => response.destroy())
    .pipe(response);
}
