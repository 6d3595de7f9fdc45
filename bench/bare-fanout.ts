/**
 * The least that a server of event streams does: node:http, one JSON.stringify a piece, one `write` for each reader. `node bare-fanout.js`, in a process of its
 * own. `GET /<session>` joins; `POST /` with `{ type, data, pieces, everyMs }` sends so many pieces to the readers of every session.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const sessions = new Map<string, Set<ServerResponse>>();

interface Order {
  readonly type: string;
  readonly data: unknown;
  readonly pieces: number;
  readonly everyMs: number;
}

const server = createServer((request, response) => {
  if (request.method === 'POST') {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      send(JSON.parse(body) as Order);
      response.end();
    });
    return;
  }
  const readers = sessions.get(request.url!) ?? new Set();
  sessions.set(request.url!, readers.add(response));
  response.once('close', () => readers.delete(response));
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write('retry: 2000\n\nevent: synced\ndata: {}\n\n');
});

function send({ type, data, pieces, everyMs }: Order): void {
  for (const readers of sessions.values()) {
    let sent = 0;
    const timer = setInterval(() => {
      const text = `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
      for (const reader of readers) reader.write(text);
      if ((sent += 1) === pieces) clearInterval(timer);
    }, everyMs);
  }
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`ready on http://127.0.0.1:${(server.address() as AddressInfo).port} \n`));
