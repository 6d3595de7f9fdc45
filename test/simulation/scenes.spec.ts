import { expect, it } from '@jest/globals';
import { WORKER_ID } from '../../src/engine/commands/execute.js';
import { type Append, Sessions } from '../../src/ports/index.js';
import { rest } from './at-rest.js';
import { losses } from './losses.js';
import type { ScriptedCall } from './network.js';
import { Scene } from './scene.js';
import { simulate } from './simulate.js';

const SEEDS = [1, 2, 3, 4, 5, 6, 7];

/** A call gives up after 3 s. */
const LATEST_MS = 3_100;

const appendOf = ({ method, args }: ScriptedCall): Append | null => (method === 'append' ? (args[0] as Append) : null);

/** Acts at the first half of a call that matches; the half is lost when `act` says so. */
function once(scene: Scene, matches: (call: ScriptedCall, append: Append | null) => boolean, act: () => boolean): void {
  let isOver = false;
  scene.world.network.script = (call) => {
    if (isOver || !matches(call, appendOf(call))) return false;
    isOver = true;
    return act();
  };
}

/** One prompt, and one message that is lost. Milliseconds from the start of its turn to its first step. */
async function untilRequested(seed: number, lost: (call: ScriptedCall, append: Append) => boolean): Promise<number> {
  const scene = new Scene(seed);
  let took = Infinity;
  await scene.plays(async () => {
    const processes = await scene.processes('all', 'all');
    const client = await scene.client();
    once(
      scene,
      (call, append) => append !== null && lost(call, append),
      () => true,
    );
    await client.probe(processes[seed % 2]!);
    await rest(scene.world, [client]);
    took = await scene.untilFirstStep(client);
  });
  return took;
}

it('a turn whose dispatch was not answered is given back at once', async () => {
  for (const seed of SEEDS) expect(await untilRequested(seed, ({ what }, { dispatch }) => what === 'answer' && dispatch !== null)).toBeLessThan(LATEST_MS);
});

it('a turn that fails in its process is given to another one at once', async () => {
  const isReport = ({ what }: ScriptedCall, { actor }: Append): boolean => what === 'request' && actor.id === WORKER_ID;
  for (const seed of SEEDS) expect(await untilRequested(seed, isReport)).toBeLessThan(LATEST_MS);
});

it('a process that stops waits for an append that may start a turn', async () => {
  for (const seed of SEEDS) {
    const scene = new Scene(seed);
    await scene.plays(async () => {
      const [process] = await scene.processes('all', 'all');
      const client = await scene.client();
      const stop = (): boolean => {
        void process!.stop();
        return false;
      };
      once(scene, ({ what }, append) => what === 'answer' && append !== null && append.dispatch !== null, stop);
      await client.probe(process!);
      await rest(scene.world, [client]);
      expect(await scene.untilFirstStep(client)).toBeLessThan(100);
    });
  }
});

it('a process that stops takes no more turns, and those that run have their time', async () => {
  for (const seed of SEEDS) {
    const scene = new Scene(seed);
    await scene.plays(async () => {
      const [process] = await scene.processes('all', 'all');
      const clients = [await scene.client(), await scene.client(), await scene.client(), await scene.client()];
      const late = await scene.client();
      await Promise.all(clients.map((client) => client.probe(process!)));
      void process!.stop();
      await scene.world.scheduler.sleep(110);
      await late.probe(process!);
      await rest(scene.world, [...clients, late]);
      for (const client of clients) expect(losses(await scene.world.store.events.load(client.tenantId, client.sessionId), scene.world, client)).toEqual([]);
    });
    expect(scene.world.violations).toEqual([]);
  }
});

it('a process with more prompts than room runs as many turns as it has room for, and leaves none waiting beside free room', async () => {
  for (const concurrency of [2, 8])
    for (const seed of [1, 2]) {
      const crowd = { dispatch: 'direct' as const, concurrency, processes: 1, sessions: 12, promptsPerSession: 2 };
      const { violations } = await simulate({ seed, faults: false, roles: 'all', tenants: 1, perTenant: 40, restarts: false, ...crowd });
      expect(violations).toEqual([]);
    }
});

it('the output of a command is kept when the store does not answer', async () => {
  for (const seed of SEEDS) {
    const scene = new Scene(seed);
    await scene.plays(async () => {
      const [process] = await scene.processes('all', 'all');
      const client = await scene.client();
      once(
        scene,
        ({ what }, append) => what === 'request' && append !== null && append.events.some(({ type }) => type === 'turn.prepared'),
        () => true,
      );
      await client.probe(process!, 'bash');
      await rest(scene.world, [client]);
      expect(JSON.stringify(await scene.world.store.events.load(client.tenantId, client.sessionId))).toContain('ran Bash');
    });
  }
});

it('an erased text leaves the memory of every process at once', async () => {
  for (const seed of SEEDS) {
    const scene = new Scene(seed);
    await scene.plays(async () => {
      const processes = await scene.processes('all', 'all');
      const client = await scene.client();
      await client.probe(processes[0]!);
      await rest(scene.world, [client]);
      for (const { injector } of processes) await injector.get(Sessions).load(client.tenantId, client.sessionId);
      await client.erase();
      await scene.world.scheduler.sleep(1_000); // the client looks after 200
      expect(client.told.erased).toHaveLength(1);
    });
    expect(scene.world.violations).toEqual([]);
  }
});
