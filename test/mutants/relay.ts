import { mutantsOf } from './mutant.js';

const scenes = { simulated: false as const, specs: ['test/simulation/relay-scenes'] };

/** With real processes. */
const killed = { simulated: false as const, specs: ['test/fault/killed-owner'] };

const relay = mutantsOf('src/engine/dispatch/outbox-relay.ts');
const expired = mutantsOf('src/engine/dispatch/expired-waits.ts');
const one = mutantsOf('src/engine/dispatch/one-of-many.ts');
const abandoned = mutantsOf('src/engine/dispatch/abandoned-turns.ts');
const orphans = mutantsOf('src/engine/dispatch/orphaned-turns.ts');

export const relays = [
  relay(
    'a wake-up during a look at the outbox is lost',
    'await this.outbox.lease(BATCH, perTenant, leaseMs);',
    'await this.outbox.lease(BATCH, perTenant, leaseMs).finally(() => (this.#wakeAgain = false));',
    scenes,
  ),
  relay('a notify is not heard', 'this.live.onNotify(() => this.#wake())', 'this.live.onNotify(() => undefined)'),
  relay('the outbox is looked at once', 'this.#sleep(Math.min(this.#wakeAgain ? RETRY_MS : pauseMs, this.#options.pollMs));', ''),
  relay('the end of a failed look is the last', '        return RETRY_MS;\n', '        return new Promise<number>(() => undefined);\n', scenes),
  relay('a queue that lost its contents is not noticed', 'this.queue.onReturn(() => void this.#redeliver());', '', scenes),
  relay('jobs that the queue lost keep their leases', 'await this.outbox.redeliver();', '', scenes),
  relay('leased jobs are not added to the queue', 'await this.queue.add(jobs);', ''),
  relay('every process looks at an idle outbox', 'this.#isBusy || this.#oneOfMany.takes()', 'true'),
  expired('a turn that waits is never given up', 'this.sessionList.expiredWaits(answerWithinMs, BATCH)', 'this.sessionList.expiredWaits(1e12, BATCH)'),
  expired('a turn is given up long before its time', 'this.sessionList.expiredWaits(answerWithinMs, BATCH)', 'this.sessionList.expiredWaits(1_000, BATCH)'),
  one('every process does the periodic work', 'return this.#left === 0;', 'return true;'),
  one('no process does the periodic work', 'return this.#left === 0;', 'return false;'),
  abandoned('the queue is never searched for jobs of dead workers', 'if (queued) await this.queue.recover();', '', killed),
  abandoned('no process looks again while turns run', 'isLeft ? LOOK_MS : this.#options.idleMs', 'this.#options.idleMs * 10', killed),
  orphans('turns without a job are never found', 'const requeued = await this.outbox.requeueOrphaned(afterMs, BATCH);', 'const requeued = 0;', scenes),
];
