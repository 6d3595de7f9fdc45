import { expect, it } from '@jest/globals';
import { rest } from './at-rest.js';
import { Scene } from './scene.js';
import { SIMULATED_SETTINGS } from './settings.js';

const SEEDS = [1, 2, 3, 4, 5, 6, 7];
const { STALLED_AFTER_MS } = SIMULATED_SETTINGS;

it('a relay whose look at the outbox failed looks again', async () => {
  for (const seed of SEEDS) {
    const scene = new Scene(seed, { dispatch: 'queue' });
    await scene.plays(async () => {
      const [process] = await scene.processes('all');
      const client = await scene.client();
      let isOver = false;
      scene.world.network.script = ({ method }) => {
        const isLost = !isOver && method === 'lease';
        isOver ||= isLost;
        return isLost;
      };
      await client.probe(process!);
      await rest(scene.world, [client]);
      expect(await scene.untilFirstStep(client)).toBeLessThan(4_000);
    });
  }
});

it('jobs that the queue has lost are delivered again when it is back', async () => {
  for (const seed of SEEDS) {
    const scene = new Scene(seed, { dispatch: 'queue' });
    await scene.plays(async () => {
      const [process] = await scene.processes('api');
      const client = await scene.client();
      await client.probe(process!);
      await scene.world.scheduler.sleep(100);
      expect(scene.world.queue.entries.size).toBe(1);
      scene.world.queue.loseEverything();
      await scene.world.startProcess('worker');
      await rest(scene.world, [client]);
      expect(await scene.untilFirstStep(client)).toBeLessThan(1_000);
    });
  }
});

it('a turn without a job, as after a restore of the database, is found', async () => {
  for (const seed of SEEDS) {
    const scene = new Scene(seed, { dispatch: 'queue' });
    await scene.plays(async () => {
      const [process] = await scene.processes('all');
      const client = await scene.client();
      scene.world.network.script = ({ method, what }) => {
        if (method === 'append' && what === 'answer') scene.world.store.loseJobs();
        return false;
      };
      await client.probe(process!);
      scene.world.network.script = null;
      await rest(scene.world, [client]);
      expect(await scene.untilFirstStep(client)).toBeLessThan(2 * STALLED_AFTER_MS + 1_000);
    });
  }
});

it('a job that is committed during a look at the outbox is found by the next one, at once', async () => {
  for (const seed of SEEDS) {
    const scene = new Scene(seed, { dispatch: 'queue' });
    const { network } = scene.world;
    await scene.plays(async () => {
      const [process] = await scene.processes('all');
      const [first, second] = [await scene.client(), await scene.client()];
      const latency = network.latency.bind(network);
      let during: Promise<void> | null = null;
      network.script = ({ method, what }) => {
        if (during || method !== 'lease' || what !== 'answer') return false;
        network.latency = () => {
          network.latency = latency;
          return 50; // this answer's
        };
        during = scene.world.scheduler.sleep(1).then(() => second.probe(process!));
        return false;
      };
      await first.probe(process!);
      await scene.world.scheduler.sleep(50);
      await during;
      await rest(scene.world, [first, second]);
      expect(await scene.untilFirstStep(second)).toBeLessThan(200);
    });
  }
});
