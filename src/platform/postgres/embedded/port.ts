import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';

/** The port that the last server on this directory used. */
export async function lastPort(dataDirectory: string): Promise<number | undefined> {
  const text = await readFile(path.join(dataDirectory, 'postmaster.opts'), 'utf8').catch(() => '');
  return Number(/"port=(\d+)"/.exec(text)?.[1]) || undefined;
}

/** `wanted` when it is free, else any free port of the loopback interface. */
export async function freePort(wanted = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => (wanted === 0 ? reject(error) : resolve(freePort())));
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
