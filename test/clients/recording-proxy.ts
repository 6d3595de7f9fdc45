import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** A request of a client, as it came out of the client. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly userAgent: string;
  /** SHA-256 of the body, in hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  /** Of the response; null until it begins. */
  status: number | null;
  session: string | null;
}

export interface RecordingProxy {
  readonly url: string;
  /** In the order in which their bodies ended. */
  readonly seen: readonly Seen[];
  /** Addresses that a client wanted to reach through it in place of the server. */
  readonly elsewhere: readonly string[];
  close(): Promise<void>;
}

/**
 * A plain HTTP proxy in front of one server, which changes nothing and writes down the digest of each body. As a client's proxy for all other addresses it
 * refuses, and writes down the address: the client has no way out.
 */
export async function startRecordingProxy(target: () => string): Promise<RecordingProxy> {
  const seen: Seen[] = [];
  const elsewhere: string[] = [];
  const forward = async (from: IncomingMessage, to: ServerResponse): Promise<void> => {
    if (!from.url?.startsWith('/')) {
      elsewhere.push(String(from.url));
      to.writeHead(403).end();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of from) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const one: Seen = {
      method: String(from.method),
      url: from.url,
      userAgent: String(from.headers['user-agent']),
      sha256: createHash('sha256').update(body).digest('hex'),
      bytes: body.length,
      status: null,
      session: null,
    };
    seen.push(one);
    const { hostname, port } = new URL(target());
    const onward = request({ hostname, port, path: from.url, method: from.method, headers: from.headers });
    to.once('close', () => onward.destroy());
    onward.on('error', () => to.destroy());
    onward.end(body);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    one.status = answer.statusCode ?? null;
    one.session = (answer.headers['x-verbatim-session'] as string | undefined) ?? null;
    to.writeHead(answer.statusCode ?? 502, answer.headers);
    await pipeline(answer, to);
  };
  const server = createServer((from, to) => void forward(from, to).catch(() => to.destroy()));
  server.on('connect', ({ url }, socket) => {
    elsewhere.push(String(url));
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    elsewhere,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
