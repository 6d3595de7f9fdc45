import net from 'node:net';

/** `before`: the connection breaks before the message reaches the server. `after`: it breaks before the server's answer reaches the client. */
export type Cut = 'before' | 'after';

export interface CuttingProxy {
  /** The given database, through the proxy. */
  readonly url: string;
  readonly cuts: { before: number; after: number };
  close(): Promise<void>;
}

/** A proxy to a Postgres server that breaks connections. `decide` is called for each message of the client after the login. */
export async function cuttingProxy(databaseUrl: string, decide: () => Cut | null): Promise<CuttingProxy> {
  const target = new URL(databaseUrl);
  const cuts = { before: 0, after: 0 };
  const sockets = new Set<net.Socket>();

  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    let loggedIn = false;
    let cutAtAnswer = false;
    const end = () => {
      client.destroy();
      upstream.end(); // the server still executes what it has received
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket
        .on('error', end)
        .on('close', () => sockets.delete(socket))
        .on('close', end);
    }
    client.on('data', (bytes) => {
      const cut = loggedIn && !cutAtAnswer ? decide() : null;
      if (cut !== null) cuts[cut] += 1;
      if (cut === 'before') return end();
      cutAtAnswer ||= cut === 'after';
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (cutAtAnswer) return end();
      loggedIn ||= isReadyForQuery(bytes);
      client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const url = new URL(target);
  url.port = String((server.address() as net.AddressInfo).port);
  return {
    url: url.href,
    cuts,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The login ends with a message `Z`, five bytes long, that ends in the transaction state `I`. */
function isReadyForQuery(bytes: Buffer): boolean {
  return bytes.subarray(-6).equals(Buffer.from([0x5a, 0, 0, 0, 5, 0x49]));
}
