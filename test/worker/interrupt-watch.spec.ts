import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { LocalFanout } from '../../src/platform/live/local-fanout.js';
import { type LiveBus, Sessions } from '../../src/ports/index.js';
import type { SessionState } from '../../src/session/state/state.js';
import { InterruptWatch } from '../../src/engine/turn/interrupt-watch.js';
import { turnEnded } from '../../src/engine/commands/turn-ended.js';
import { fold } from '../../src/session/state/evolve.js';
import { DEFAULT_PROMPT_GATES } from '../../packages/protocol/gates.js';
import { AT, prepare, type Scene, seed, session, submit } from '../support/given-session.js';

// Time stands still unless a test moves it: what is found without that was announced.
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] }));
afterEach(() => void jest.useRealTimers());

const JOB = { tenantId: 't', sessionId: 's', turnId: 't1' };

/** A turn that runs, and a process that reads its log; `hold`: its reads are answered after the promise. */
function scene() {
  const log: Scene = session();
  log.when(submit(1));
  log.when(prepare(1));
  let held: Promise<void> = Promise.resolve();
  let reads = 0;
  class OneSession extends Sessions {
    load = async (): Promise<SessionState> => {
      reads += 1;
      const state = fold(log.log);
      await held;
      return state;
    };
    known = (): SessionState | null => null;
    place = () => null;
    loadAt = async () => fold(log.log);
    advance = () => null;
    forget = () => undefined;
    evictStale = async () => [];
    onEvicted = () => undefined;
  }
  const fanout = new LocalFanout((problem, error) => {
    throw new Error(problem, { cause: error });
  });
  return {
    sessions: new OneSession(),
    live: fanout as unknown as LiveBus,
    reads: () => reads,
    hold: (until: Promise<void>) => void (held = until),
    stop: () => void log.when({ type: 'Interrupt', reason: null, at: AT, seed: seed(5), gates: DEFAULT_PROMPT_GATES }),
    fail: () => void log.when({ type: 'FailTurn', turnId: 't1', error: { code: 'x', message: 'x' }, at: AT, uuid: seed(6) }),
    announce: () => fanout.deliver({ kind: 'advanced', sessionId: 's', seq: log.state.version }),
  };
}

const idle = async (): Promise<void> => {
  for (let round = 0; round < 10; round += 1) await new Promise(setImmediate);
};

const aborted = (signal: AbortSignal): Promise<void> => new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

it('work stops for a request that was announced while the log was being read', async () => {
  const { sessions, live, hold, stop, announce, reads } = scene();
  let release: () => void = () => undefined;
  let isOver = false;
  const work = new InterruptWatch(sessions, live).during(JOB, new AbortController().signal, aborted).then(() => (isOver = true));
  hold(new Promise((resolve) => (release = resolve)));
  announce(); // of something else
  stop();
  announce();
  expect([reads(), isOver]).toEqual([1, false]);
  release();
  await idle();
  expect(isOver).toBe(true);
  await work;
});

it('work stops within a second of a request that was not announced', async () => {
  const { sessions, live, stop } = scene();
  let isOver = false;
  const work = new InterruptWatch(sessions, live).during(JOB, new AbortController().signal, aborted).then(() => (isOver = true));
  stop();
  await idle();
  expect(isOver).toBe(false);
  await jest.advanceTimersByTimeAsync(1_000);
  await idle();
  expect(isOver).toBe(true);
  await work;
});

it('who waits for the end of a turn continues when it is announced, and within half a second when it is not', async () => {
  for (const isAnnounced of [true, false]) {
    const { sessions, live, fail, announce } = scene();
    let isOver = false;
    const wait = turnEnded(sessions, live, 't', 's', 't1', 10_000).then(() => (isOver = true));
    await idle();
    fail();
    if (isAnnounced) announce();
    await idle();
    expect(isOver).toBe(isAnnounced);
    await jest.advanceTimersByTimeAsync(500);
    await wait;
  }
});
