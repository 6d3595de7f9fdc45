import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './port.js';

/** Which bytes of a connection are lost: those to the server, those from it, or both. The sockets stay open. */
export type Loss = 'requests' | 'replies' | 'both';

interface Connection {
  readonly client: net.Socket;
  readonly server: net.Socket;
  loss: Loss | null;
  /** Called instead of passing on the reply to the next request. */
  onReply: (() => void) | null;
  /** The server has received a request since `onReply` was set. */
  asked: boolean;
  /** Resolves when everything that is delayed has been passed on. */
  delayed: Promise<unknown> | null;
}

/** A TCP proxy whose connections go silent, slow down or break on command, and that may not be there at all. */
export class FaultProxy {
  readonly #connections = new Set<Connection>();
  #listener: net.Server | null = null;
  #target = { host: '127.0.0.1', port: 0 };
  /** Milliseconds by which bytes arrive late. */
  #lateMs = 0;

  private constructor(readonly port: number) {}

  /** A proxy to the server of `url`, on a free port. Without `url` it has no server before `aim`. */
  static async start(url?: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(await freePort());
    if (url !== undefined) proxy.aim(url);
    await proxy.listen();
    return proxy;
  }

  /** New connections go to the server of `url`. */
  aim(url: string): void {
    const { hostname, port } = new URL(url);
    this.#target = { host: hostname, port: Number(port) };
  }

  /** The same URL, through this proxy. */
  url(url: string): string {
    const through = new URL(url);
    through.host = `127.0.0.1:${this.port}`;
    return through.href;
  }

  /** Accepts connections, again after `refuse`. */
  async listen(): Promise<void> {
    if (this.#listener) return;
    const listener = net.createServer((client) => this.#connect(client));
    this.#listener = listener;
    await new Promise<void>((resolve, reject) => listener.once('error', reject).listen(this.port, '127.0.0.1', resolve));
  }

  /** Breaks every connection and resets new ones. */
  async refuse(): Promise<void> {
    const listener = this.#listener;
    this.#listener = null;
    const closed = new Promise((resolve) => (listener ? listener.close(resolve) : resolve(null)));
    this.cut();
    await closed;
  }

  /** Loses bytes of every open connection from now on. New connections work. Returns how many connections it has changed. */
  silence(loss: Loss = 'both'): number {
    const changed = [...this.#connections].filter((connection) => connection.loss === null);
    for (const connection of changed) connection.loss = loss;
    return changed.length;
  }

  /** Breaks every open connection. New connections work. Returns the number of connections. */
  cut(): number {
    const { size } = this.#connections;
    for (const connection of this.#connections) breakOff(connection);
    return size;
  }

  /** Breaks the next connection that sends a request, after the server has carried it out and before its reply. False: there was none within the time. */
  cutAtReply(milliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (happened: boolean): void => {
        clearTimeout(timer);
        for (const connection of this.#connections) connection.onReply = null;
        resolve(happened);
      };
      const timer = setTimeout(() => end(false), milliseconds);
      for (const connection of this.#connections) {
        connection.asked = false;
        connection.onReply = () => {
          breakOff(connection);
          end(true);
        };
      }
    });
  }

  /** Passes bytes on so many milliseconds late, in either direction; 0: at once again. Returns the number of connections. */
  delay(milliseconds: number): number {
    this.#lateMs = milliseconds;
    return this.#connections.size;
  }

  close(): Promise<void> {
    return this.refuse();
  }

  #connect(client: net.Socket): void {
    const server = net.connect(this.#target);
    const connection: Connection = { client, server, loss: null, onReply: null, asked: false, delayed: null };
    this.#connections.add(connection);
    const end = (): void => {
      this.#connections.delete(connection);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', end);
    client.on('data', (bytes) => {
      connection.asked = true;
      if (connection.loss === null || connection.loss === 'replies') this.#pass(connection, () => server.write(bytes));
    });
    server.on('data', (bytes) => {
      if (connection.onReply && connection.asked && connection.loss === null) return connection.onReply();
      if (connection.loss === null || connection.loss === 'requests') this.#pass(connection, () => client.write(bytes));
    });
    // A silent connection does not pass on that one side has closed.
    client.on('close', end);
    server.on('close', () => connection.loss === null && this.#pass(connection, end));
  }

  /** In the order of the calls, so that bytes are never reordered within a connection. */
  #pass(connection: Connection, forward: () => void): void {
    if (this.#lateMs === 0 && connection.delayed === null) return void forward();
    const due = pause(this.#lateMs);
    const delayed = Promise.all([due, connection.delayed]).then(() => {
      if (connection.delayed === delayed) connection.delayed = null;
      forward();
    });
    connection.delayed = delayed;
  }
}

function breakOff({ client, server }: Connection): void {
  client.destroy();
  server.destroy();
}
