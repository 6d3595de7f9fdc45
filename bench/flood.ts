import { ServerProcess } from '../test/support/process.js';
import type { Client } from '../test/support/client.js';
import { figures, percentile, table } from './report.js';

const CALLERS = 400;
const PROMPTS = 60;

/** How long a prompt of one tenant takes to be accepted while another sends requests on hundreds of connections, each as soon as the one before is answered. */
export async function benchFlood(backend: string, environment: Readonly<Record<string, string>>, greedy: string, modest: string): Promise<void> {
  const server = await ServerProcess.start({ LOG_LEVEL: 'silent', SHUTDOWN_GRACE_MS: '1', ...environment });
  try {
    const [many, single] = [server.client(greedy), server.client(modest)];
    await accepted(single, 20);
    const alone = await accepted(single, PROMPTS);
    let isOver = false;
    let sent = 0;
    const flood = Array.from({ length: CALLERS }, async () => {
      while (!isOver) {
        await many.prompt(await many.session(), 'one of very many');
        sent += 1;
      }
    });
    while (sent < CALLERS) await new Promise((resolve) => setTimeout(resolve, 50));
    const beside = await accepted(single, PROMPTS);
    isOver = true;
    await Promise.all(flood);
    table(`Acceptance of a prompt while another tenant floods on ${CALLERS} connections (${backend}; ms)`, [
      figures('alone', alone),
      figures('beside the flood', beside),
      ['  ratio of the medians', (percentile(beside, 0.5) / percentile(alone, 0.5)).toFixed(1), '', ''],
    ]);
  } finally {
    await server.stop();
  }
}

async function accepted(client: Client, count: number): Promise<readonly number[]> {
  const took: number[] = [];
  for (let prompt = 0; prompt < count; prompt += 1) {
    const id = await client.session();
    const started = performance.now();
    const { status } = await client.prompt(id, 'a single prompt');
    if (status !== 202) throw new Error(`a prompt was answered with ${status}`);
    took.push(performance.now() - started);
  }
  return took;
}
