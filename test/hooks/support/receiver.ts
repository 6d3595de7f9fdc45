import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server as SocketServer, type Socket } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (received: Received) => { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

/** Takes hooks' calls over http, and answers as it is told. */
export class Receiver {
  readonly received: Received[] = [];
  answer: Answer = () => ({});

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const received = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
        receiver.received.push(received);
        const { status = 200, headers = {}, body = '' } = receiver.answer(received);
        response.writeHead(status, headers).end(body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path = '/'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** Connections that are still open. */
  connections(): Promise<number> {
    return new Promise((resolve) => this.server.getConnections((_, count) => resolve(count)));
  }

  stop(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}

/** A server that speaks bytes: what it does with each connection is said by `talk`. */
export class RawReceiver {
  readonly closed: Promise<void>;
  connections = 0;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: SocketServer,
    talk: (socket: Socket) => void,
  ) {
    let firstClosed: () => void;
    this.closed = new Promise((resolve) => (firstClosed = resolve));
    server.on('connection', (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => {}).on('close', () => (this.#sockets.delete(socket), firstClosed()));
      talk(socket);
    });
  }

  static async start(talk: (socket: Socket) => void): Promise<RawReceiver> {
    const server = createSocketServer();
    const receiver = new RawReceiver(server, talk);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  stop(): Promise<unknown> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.server.close(resolve));
  }
}
