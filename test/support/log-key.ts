import type { Client } from './client.js';
import { until } from './until.js';

/** The public key of the transparency log. A server has none until a worker of it has started, and signed the first checkpoint. */
export async function logKeyOf(client: Pick<Client, 'get'>): Promise<string> {
  await until('the first checkpoint is signed', async () => (await client.get('/v1/log/key')).status === 200);
  return (await client.get('/v1/log/key')).body.trim();
}
