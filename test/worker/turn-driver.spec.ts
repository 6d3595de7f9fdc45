import { expect, it } from '@jest/globals';
import { LiveBus, Sessions } from '../../src/ports/index.js';
import { turnOver } from '../../src/session/decide/domain-errors.js';
import { fold } from '../../src/session/state/evolve.js';
import { InterruptWatch } from '../../src/engine/turn/interrupt-watch.js';
import { Stopping } from '../../src/engine/dispatch/stopping.js';
import { TurnDriver } from '../../src/engine/turn/turn-driver.js';
import { answer, AT, prepare, seed, send, session, submit } from '../support/given-session.js';

class SilentBus extends LiveBus {
  publish(): void {}
  nudge(): void {}
  subscribe = () => () => undefined;
  onNudge = () => () => undefined;
  leads = true;
  async ping(): Promise<void> {}
}

it('repeats a request after at most the longest retry delay, even if the clock was set back since the failure', async () => {
  const scene = session();
  scene.when(submit(1));
  scene.when(prepare(1));
  scene.when(send(scene, 1));
  const inTenMinutes = new Date(Date.parse(AT) + 600_000).toISOString();
  const { turnId, requestId } = answer(1) as { turnId: string; requestId: string };
  const error = { code: 'overloaded_error', message: 'busy' };
  const failure = { durationMs: 0, retryAt: inTenMinutes, rejected: [], partial: null, at: AT, seed: seed(1) };
  scene.when({ type: 'RecordRequestFailure', turnId, requestId, error, ...failure });

  class OneSession extends Sessions {
    load = async () => fold(scene.log);
    known = () => null;
    place = () => null;
    loadAt = async () => fold(scene.log);
    advance = () => null;
    forget = () => undefined;
    tidy = async () => [];
    onEvicted = () => undefined;
  }
  const sessions = new OneSession();
  let requests = 0;
  const callModel = {
    request: async (): Promise<void> => {
      requests += 1;
      throw turnOver(); // ends the drive
    },
  };
  const clock = { now: () => Date.parse(AT), timestamp: () => AT, uuid: () => 'u' };
  const unused = null as never;
  const driver = new TurnDriver(
    sessions,
    unused,
    unused,
    callModel as never,
    { runIfDue: async () => false } as never,
    { offerTools: async () => false } as never,
    unused,
    new InterruptWatch(sessions, new SilentBus()),
    unused,
    { maxRequestsPerTurn: 10, modelRetryMaxMs: 20 } as never,
    clock,
    new Stopping(),
  );
  await driver.drive({ tenantId: 't', sessionId: 's', turnId, claim: { jobId: turnId, fence: 1 } }, new AbortController().signal);
  expect(requests).toBe(1);
});
