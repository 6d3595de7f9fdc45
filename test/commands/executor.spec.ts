import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { CachedSessions } from '../../src/engine/store/cached-sessions.js';
import { SystemClock } from '../../src/platform/system/system-clock.js';
import { PrometheusTelemetry } from '../../src/platform/telemetry/prometheus-telemetry.js';
import type { CommandContext } from '../../src/engine/commands/context.js';
import { priceTable } from '../../src/engine/commands/price-table.js';
import { Executor, WORKER_ID } from '../../src/engine/commands/execute.js';
import { TurnDispatch } from '../../src/engine/commands/turn-dispatch.js';
import { DEFAULT_PROMPT_GATES } from '../../packages/protocol/gates.js';
import { type LiveSignal, LiveBus } from '../../src/ports/index.js';
import type { Command } from '../../src/session/state/commands.js';
import { fold } from '../../src/session/state/evolve.js';
import { memoryStore } from '../support/memory-store.js';
import { tool } from '../support/calls.js';
import { SETTINGS } from '../support/given-session.js';
import type { Submission } from '../../packages/protocol/message/submission.js';
import { authorizedCaller, principalOf, systemPrincipal } from '../../packages/protocol/access/principal.js';

class Heard extends LiveBus {
  readonly signals: LiveSignal[] = [];
  notifications = 0;
  publish(signal: LiveSignal): void {
    this.signals.push(signal);
  }
  notify(): void {
    this.notifications += 1;
  }
  subscribe = () => () => undefined;
  onNotify = () => () => undefined;
  rank = 0;
  async ping(): Promise<void> {}
}

const TENANT = randomUUID();
const USER = randomUUID();

/** Two processes over one store. */
function processes() {
  const store = memoryStore();
  const make = () => {
    const live = new Heard();
    const sessions = new CachedSessions(store.events, 1_000_000);
    return {
      executor: new Executor(store.events, sessions, live, new SystemClock(), new PrometheusTelemetry(), new TurnDispatch(), { MODEL_PRICES: {} }, {
        session: async () => undefined,
        model: async () => undefined,
        counted: async (_tenant: string, _session: string, entries: unknown) => entries,
      } as never),
      sessions,
      live,
    };
  };
  return { store, one: make(), other: make() };
}

const context = (sessionId: string, more: Partial<CommandContext> = {}): CommandContext => ({
  principal: authorizedCaller(principalOf({ tenantId: TENANT, userId: USER, role: 'member' }), 'session.prompt', Date.now()),
  sessionId,
  commandId: randomUUID(),
  requestHash: 'a'.repeat(64),
  expectedVersion: null,
  ...more,
});

const prompt = (more: Partial<Submission> = {}): Command => {
  const ids = { promptId: randomUUID(), turnId: randomUUID(), uuid: randomUUID() };
  return { type: 'SubmitPrompt', submission: { ...ids, mode: 'prompt', original: 'x', value: 'x', ...more }, whenBusy: 'enqueue', maxQueued: 100 };
};

describe('the executor', () => {
  it('starts one turn for concurrent submissions in two processes, with one job', async () => {
    const { store, one, other } = processes();
    const id = randomUUID();
    await one.executor.execute(context(id), { type: 'CreateSession', settings: SETTINGS });
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? one : other).executor.execute(context(id), prompt())));
    expect(answers.filter(({ events }) => events.some((event) => event.type === 'turn.started'))).toHaveLength(1);
    const log = await store.events.load(TENANT, id);
    expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1));
    expect((await store.outbox.lease(10, 10, 1_000)).jobs).toHaveLength(1);
    expect(one.live.notifications + other.live.notifications).toBe(1);
    expect(await other.sessions.load(TENANT, id)).toEqual(fold(log));
  });

  it('puts the correlation of its prompt into each job, also for a queued prompt', async () => {
    const { store, one, other } = processes();
    const id = randomUUID();
    await one.executor.execute(context(id), { type: 'CreateSession', settings: SETTINGS });
    const tags = [1, 2].map((n) => ({
      promptId: randomUUID(),
      turnId: randomUUID(),
      workload: `w${n}`,
      traceparent: `00-${String(n).repeat(32)}-${String(n).repeat(16)}-01`,
    }));
    for (const tag of tags) await one.executor.execute(context(id), prompt(tag));
    await one.executor.execute(context(id), prompt({ turnId: 'plain', promptId: 'bare' }));
    const fail = (turnId: string): Command => ({
      type: 'FailTurn',
      turnId,
      error: { code: 'x', message: 'x' },
      at: new Date().toISOString(),
      uuid: randomUUID(),
    });
    for (const tag of [...tags, { turnId: 'plain', promptId: 'bare' }]) {
      const { jobs } = await store.outbox.lease(10, 10, 1_000);
      expect(jobs.map(({ payload }) => payload)).toEqual([{ tenantId: TENANT, sessionId: id, ...tag }]);
      await other.executor.execute(context(id), fail(tag.turnId));
    }
    expect(await store.outbox.claim({ queue: 'turns', id: 'plain', payload: { tenantId: TENANT, sessionId: id, turnId: 'plain' } })).toBeNull();
  });

  it('rejects the reports of a worker after another one has claimed its turn, whatever either has cached', async () => {
    const { store, one, other } = processes();
    const id = randomUUID();
    const turnId = randomUUID();
    await one.executor.execute(context(id), { type: 'CreateSession', settings: SETTINGS });
    await one.executor.execute(context(id), prompt({ turnId }));
    const [job] = (await store.outbox.lease(1, 1, 60_000)).jobs;
    const principal = systemPrincipal(TENANT, WORKER_ID);
    const claimed = async () => ({ principal, claim: { jobId: job!.id, fence: (await store.outbox.claim(job!))! } });
    const report: Command = { type: 'PrepareTurn', turnId, messages: [], hookRuns: [], callsModel: true, checkpoints: [] };
    const frozen = await claimed();
    const current = await claimed();
    await expect(one.executor.execute(context(id, frozen), report)).rejects.toMatchObject({ code: 'turn_over' });
    expect((await other.executor.execute(context(id, current), report)).events.map(({ type }) => type)).toEqual(['turn.prepared']);
    const fail: Command = { type: 'FailTurn', turnId, error: { code: 'x', message: 'x' }, at: new Date().toISOString(), uuid: randomUUID() };
    await expect(one.executor.execute(context(id, frozen), fail)).rejects.toMatchObject({ code: 'turn_over' });
    expect(await store.outbox.claim(job!)).not.toBeNull(); // the turn still has its job
  });

  it('leaves a receipt of a command that had nothing to do', async () => {
    const { one, other } = processes();
    const id = randomUUID();
    await one.executor.execute(context(id), { type: 'CreateSession', settings: SETTINGS });
    const nothing = context(id);
    const interrupt: Command = { type: 'Interrupt', reason: null, at: new Date().toISOString(), seed: 'seed', gates: DEFAULT_PROMPT_GATES };
    expect(await one.executor.execute(nothing, interrupt)).toMatchObject({ events: [], replayed: false });
    await one.executor.execute(context(id), prompt());
    for (const { executor } of [one, other]) {
      expect(await executor.execute(nothing, interrupt)).toMatchObject({ events: [], replayed: true });
      await expect(executor.execute({ ...nothing, requestHash: 'b'.repeat(64) }, interrupt)).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    }
  });

  it('bases rejections and empty results on the log, not on a stale cached state', async () => {
    const { store, one, other } = processes();
    const id = randomUUID();
    await one.executor.execute(context(id), { type: 'CreateSession', settings: SETTINGS });
    const turnId = randomUUID();
    await one.executor.execute(context(id), prompt({ turnId }));
    // The other process ends the turn and closes the session; the first has not heard of it.
    await other.executor.execute(context(id), {
      type: 'FailTurn',
      turnId,
      error: { code: 'x', message: 'x' },
      at: new Date().toISOString(),
      uuid: randomUUID(),
    });
    expect(one.sessions.known(TENANT, id)?.status).toBe('running');
    await one.executor.execute(context(id), { type: 'CloseSession', reason: null });
    await other.executor.execute(context(id), { type: 'ReopenSession' });
    expect(one.sessions.known(TENANT, id)?.status).toBe('closed');
    expect((await one.executor.execute(context(id), { type: 'CloseSession', reason: null })).events).toHaveLength(1);
    const log = await store.events.load(TENANT, id);
    expect(one.sessions.known(TENANT, id)).toEqual(fold(log));
  });

  it('takes a command about what another process has just written', async () => {
    const { one, other } = processes();
    const id = randomUUID();
    await one.executor.execute(context(id), { type: 'CreateSession', settings: SETTINGS });
    await one.executor.execute(context(id), prompt());
    const promptId = randomUUID();
    await other.executor.execute(context(id), prompt({ promptId }));
    expect((await one.executor.execute(context(id), { type: 'WithdrawPrompt', promptId })).events.map(({ type }) => type)).toEqual(['prompt.withdrawn']);
  });

  it('does not take a report for empty because of what it had cached', async () => {
    const { one, other } = processes();
    const id = randomUUID();
    const turnId = randomUUID();
    const worker = { principal: systemPrincipal(TENANT, WORKER_ID) };
    await one.executor.execute(context(id), { type: 'CreateSession', settings: SETTINGS });
    await one.executor.execute(context(id), prompt({ turnId }));
    await other.executor.execute(context(id, worker), { type: 'OfferTools', turnId, tools: [tool('Bash')] });
    const report: Command = { type: 'OfferTools', turnId, tools: [] };
    expect((await one.executor.execute(context(id, worker), report)).events.map(({ type }) => type)).toEqual(['session.tools_changed']);
  });

  it('does not read the log when the cached state is current', async () => {
    const { store, one } = processes();
    const id = randomUUID();
    await one.executor.execute(context(id), { type: 'CreateSession', settings: SETTINGS });
    let asked = 0;
    const load = store.events.load.bind(store.events);
    store.events.load = (...given) => ((asked += 1), load(...given));
    for (let n = 0; n < 5; n += 1) await one.executor.execute(context(id), prompt());
    expect(asked).toBe(0);
  });

  it('replays the first result for a repeat that the current state would reject', async () => {
    const { one, other } = processes();
    const id = randomUUID();
    await one.executor.execute(context(id), { type: 'CreateSession', settings: SETTINGS });
    const once = context(id);
    const command = prompt();
    const first = await one.executor.execute(once, command);
    await one.executor.execute(context(id), prompt());
    const again = await other.executor.execute(once, command);
    expect(again.replayed).toBe(true);
    expect(again.events).toEqual(first.events);
    expect(again.state.version).toBe(first.version);
    await expect(one.executor.execute({ ...once, requestHash: 'b'.repeat(64) }, command)).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    await expect(one.executor.execute({ ...once, expectedVersion: 1 }, command)).resolves.toMatchObject({ replayed: true });
  });

  it('rejects an outdated expected version and callers without access', async () => {
    const { one } = processes();
    const id = randomUUID();
    await one.executor.execute(context(id), { type: 'CreateSession', settings: SETTINGS });
    await expect(one.executor.execute(context(id, { expectedVersion: 7 }), prompt())).rejects.toMatchObject({
      code: 'version_conflict',
      details: { version: 1 },
    });
    const neighbour = authorizedCaller(principalOf({ tenantId: TENANT, userId: randomUUID(), role: 'member' }), 'session.prompt', Date.now());
    await expect(one.executor.execute(context(id, { principal: neighbour }), prompt())).rejects.toMatchObject({ code: 'session_not_found' });
    const admin = { ...neighbour, role: 'admin' } as const;
    await expect(one.executor.execute(context(id, { principal: admin }), prompt())).rejects.toMatchObject({ code: 'forbidden' });
    const outsider = { ...neighbour, tenantId: randomUUID(), userId: USER };
    await expect(one.executor.execute(context(id, { principal: outsider }), prompt())).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it('brings evicted baselines up to date', async () => {
    const { store, one } = processes();
    const tiny = new CachedSessions(store.events, 1);
    const ids = Array.from({ length: 5 }, () => randomUUID());
    for (const id of ids) await one.executor.execute(context(id), { type: 'CreateSession', settings: SETTINGS });
    for (let round = 0; round < 3; round += 1) {
      for (const id of ids) {
        await one.executor.execute(context(id), prompt());
        expect(await tiny.load(TENANT, id)).toEqual(fold(await store.events.load(TENANT, id)));
      }
    }
    expect((await tiny.load(TENANT, randomUUID())).version).toBe(0);
  });
});

it('does not start with a price for a model family that does not exist', () => {
  expect(() => priceTable({ MODEL_PRICES: { 'claude-opus-55': { input: 1, output: 1 } } })).toThrow('there is no model family claude-opus-55');
  expect(priceTable({ MODEL_PRICES: { unknown: { input: 1, output: 2 } } })['unknown']).toMatchObject({ input: 1, output: 2 });
});
