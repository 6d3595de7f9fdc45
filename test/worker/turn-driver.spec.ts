import { expect, it } from '@jest/globals';
import { LiveBus, Sessions } from '../../src/ports/index.js';
import { stateChanged, turnOver } from '../../src/session/decide/domain-errors.js';
import { fold } from '../../src/session/state/evolve.js';
import type { TurnCommand } from '../../src/session/state/commands.js';
import { InterruptWatch } from '../../src/engine/turn/interrupt-watch.js';
import { Stopping } from '../../src/engine/dispatch/stopping.js';
import { TurnDriver } from '../../src/engine/turn/turn-driver.js';
import type { WorkspaceLog } from '../../src/engine/turn/workspace-log.js';
import { answer, AT, prepare, type Scene, seed, send, session, submit } from '../support/given-session.js';

class SilentBus extends LiveBus {
  publish(): void {}
  notify(): void {}
  subscribe = () => () => undefined;
  onNotify = () => () => undefined;
  rank = 0;
  async ping(): Promise<void> {}
}

/** A turn that is prepared. */
function prepared(): Scene {
  const scene = session();
  scene.when(submit(1));
  scene.when(prepare(1));
  return scene;
}

const MAX_LOST_WORKERS = 3;

/** Drives the turn; `request` is called for each request. */
async function drive(scene: Scene, request: () => void): Promise<void> {
  class OneSession extends Sessions {
    load = async () => fold(scene.log);
    known = () => null;
    place = () => null;
    loadAt = async () => fold(scene.log);
    advance = () => null;
    forget = () => undefined;
    evictStale = async () => [];
    onEvicted = () => undefined;
  }
  const sessions = new OneSession();
  const clock = { now: () => Date.parse(AT), timestamp: () => AT, uuid: () => seed(scene.state.version) };
  const unused = null as never;
  const driver = new TurnDriver(
    sessions,
    unused,
    unused,
    { request: async () => request() } as never,
    { runIfDue: async () => false } as never,
    { offerTools: async () => false } as never,
    unused,
    new InterruptWatch(sessions, new SilentBus()),
    { report: async (_: unknown, __: string, command: TurnCommand) => scene.when(command) } as never,
    { MAX_REQUESTS_PER_TURN: 100, MODEL_RETRY_MAX_MS: 20, MAX_LOST_WORKERS },
    clock,
    new Stopping(),
    { during: (_, __, work) => work() } satisfies Pick<WorkspaceLog, 'during'> as never,
  );
  await driver.drive({ tenantId: 't', sessionId: 's', turnId: 't1', claim: { jobId: 't1', fence: 1 } }, new AbortController().signal);
}

it('repeats a request after at most the longest retry delay, even if the clock was set back since the failure', async () => {
  const scene = prepared();
  scene.when(send(scene, 1));
  const inTenMinutes = new Date(Date.parse(AT) + 600_000).toISOString();
  const { turnId, requestId } = answer(1) as { turnId: string; requestId: string };
  const error = { code: 'overloaded_error', message: 'busy' };
  const failure = { durationMs: 0, retryAt: inTenMinutes, rejected: [], partial: null, at: AT, seed: seed(1) };
  scene.when({ type: 'RecordRequestFailure', turnId, requestId, error, ...failure });
  let requests = 0;
  await drive(scene, () => {
    requests += 1;
    throw turnOver(); // ends the drive
  });
  expect(requests).toBe(1);
}, 300_000);

it('continues from the log when the session has changed under a step', async () => {
  let requests = 0;
  await drive(prepared(), () => {
    requests += 1;
    throw requests < 3 ? stateChanged() : turnOver();
  });
  expect(requests).toBe(3);
});

it('fails a turn whose request has lost as many workers as are allowed', async () => {
  const scene = prepared();
  scene.when(send(scene, 1, 'r0'));
  let requests = 0;
  // Each worker is lost after it has sent its request.
  await drive(scene, () => {
    if (requests > 9) throw turnOver();
    scene.when(send(scene, 1, `r${(requests += 1)}`));
  });
  expect(requests).toBe(MAX_LOST_WORKERS - 1);
  expect(scene.log.at(-1)).toMatchObject({ type: 'turn.failed', data: { error: { code: 'worker_lost' } } });
});
