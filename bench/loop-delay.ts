import type { Client } from '../test/support/client.js';

/** Event loop delay of the server since the last call, as it reports it, in milliseconds. */
export async function loopDelay(client: Client): Promise<{ readonly max: number; readonly p99: number }> {
  const { body } = await client.get<string>('/metrics');
  const figure = (name: string): number => Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(body)?.[1] ?? Number.NaN) * 1_000;
  return { max: figure('max'), p99: figure('p99') };
}
