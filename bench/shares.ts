import { ServerProcess } from '../test/support/process.js';
import type { Client } from '../test/support/client.js';
import { figures, percentile, table } from './report.js';

/** Effect on a tenant of another tenant with thousands of queued turns. */
export async function benchShares(
  backend: string,
  environment: Readonly<Record<string, string>>,
  greedy: string,
  modest: string,
  flood = 2_000,
): Promise<void> {
  const server = await ServerProcess.start({ LOG_LEVEL: 'silent', SHUTDOWN_GRACE_MS: '1', ...environment });
  try {
    const [many, single] = [server.client(greedy), server.client(modest)];
    await prompts(single, 20);
    const alone = await prompts(single, 60);
    for (let made = 0; made < flood; made += 50) {
      await Promise.all(Array.from({ length: 50 }, async () => many.prompt(await many.session(), '{{slow 100}}{{long 50}}')));
    }
    const beside = await prompts(single, 60);
    table(`A prompt of one tenant while another has ${flood} sessions waiting (${backend}; ms from POST to the first delta)`, [
      figures('alone', alone),
      figures('beside the flood', beside),
      ['  ratio of the medians', (percentile(beside, 0.5) / percentile(alone, 0.5)).toFixed(2), '', ''],
    ]);
  } finally {
    await server.stop();
  }
}

async function prompts(client: Client, count: number): Promise<readonly number[]> {
  const took: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const id = await client.session();
    const stream = await client.stream(id);
    const started = performance.now();
    await client.prompt(id, 'a single prompt');
    await stream.untilType('message.delta');
    took.push(performance.now() - started);
    await stream.untilType('turn.completed');
    stream.close();
  }
  return took;
}
