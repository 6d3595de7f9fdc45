import net from 'node:net';
import { freePort } from './port.js';

/** Which bytes of a connection are lost: those to the server, those from it, or both. The sockets stay open. */
export type Loss = 'requests' | 'replies' | 'both';

/** A TCP proxy whose connections go silent or break on command, and that may not be there at all. */
export class FaultProxy {
  readonly #connections = new Set<{ readonly client: net.Socket; readonly server: net.Socket; loss: Loss | null }>();
  #listener: net.Server | null = null;

  private constructor(
    private readonly target: { readonly host: string; readonly port: number },
    readonly port: number,
  ) {}

  /** A proxy to the server of `url`, on a free port. */
  static async start(url: string): Promise<FaultProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new FaultProxy({ host: hostname, port: Number(port) }, await freePort());
    await proxy.listen();
    return proxy;
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

  /** Breaks every connection and refuses new ones. */
  async refuse(): Promise<void> {
    const listener = this.#listener;
    this.#listener = null;
    const closed = new Promise((resolve) => (listener ? listener.close(resolve) : resolve(null)));
    this.cut();
    await closed;
  }

  /** Loses bytes of every open connection from now on. New connections work. */
  silence(loss: Loss = 'both'): void {
    for (const connection of this.#connections) connection.loss = loss;
  }

  /** Breaks every open connection. New connections work. */
  cut(): void {
    for (const { client, server } of this.#connections) for (const socket of [client, server]) socket.destroy();
  }

  close(): Promise<void> {
    return this.refuse();
  }

  #connect(client: net.Socket): void {
    const server = net.connect(this.target.port, this.target.host);
    const connection = { client, server, loss: null as Loss | null };
    this.#connections.add(connection);
    const end = (): void => {
      this.#connections.delete(connection);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', end);
    client.on('data', (bytes) => {
      if (connection.loss === null || connection.loss === 'replies') server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (connection.loss === null || connection.loss === 'requests') client.write(bytes);
    });
    // A silent connection does not pass on that one side has closed.
    client.on('close', end);
    server.on('close', () => connection.loss === null && end());
  }
}
