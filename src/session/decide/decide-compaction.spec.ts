import { describe, expect, it } from '@jest/globals';
import { AT, answer, message, prepare, type Scene, seed, send, session, submission, submit, uuidsOnPath } from '../../../test/support/given-session.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import type { ModelMessage, Usage } from '../../../packages/protocol/message/message.js';
import type { Command } from '../state/commands.js';
import type { RecordedSentRequest } from '../../../packages/protocol/events/events.js';
import { nextStep } from './next-step.js';
import { COMPACT } from '../compaction/requested.js';
import { canCompact, canRepeatRefused, dueCompaction } from '../compaction/should-compact.js';
import { readingOf } from '../compaction/plan.js';
import { tokensInUse } from '../compaction/token-usage.js';
import type { HookRun } from '../../../packages/protocol/hooks/hook-run.js';
import type { CompactionLimits } from '../state/compaction-limits.js';
import { DEFAULT_PROMPT_GATES } from '../../../packages/protocol/gates.js';

const LIMITS: CompactionLimits = { auto: true, atShare: 0.8, keepTurns: 1, keepShare: 1, windowTokens: 1_000, maxOutputTokens: 100 };
const OFF = { ...LIMITS, auto: false };

/** A turn whose answer has its own id, as the API gives it. */
function turn(scene: Scene, n: number, usage: Usage = { input_tokens: 10, output_tokens: 5 }): void {
  scene.when(submit(n));
  scene.when(prepare(n));
  scene.when(send(scene, n));
  scene.when({ ...answer(n), message: { ...message([{ type: 'text', text: 'yes' }]), id: `msg_${n}`, usage } } as Command);
}

/** Two turns, the second of which took so many tokens, and a third that is about to ask. */
function grown(tokens: number): Scene {
  const scene = session();
  turn(scene, 1);
  turn(scene, 2, { input_tokens: 1, cache_read_input_tokens: tokens - 3, output_tokens: 2 });
  scene.when(submit(3));
  scene.when(prepare(3));
  return scene;
}

const due = (scene: Scene, limits = LIMITS) => (scene.state.turn ? dueCompaction(scene.state, scene.state.turn, limits) : null);

function ask(scene: Scene, n: number, requestId: string, trigger: 'auto' | 'manual' = 'auto'): void {
  const compaction = { trigger, instructions: null, keptFrom: null, from: null, to: null, omitted: 0, preTokens: null };
  const { request } = send(scene, n, requestId) as Extract<Command, { type: 'SendRequest' }>;
  scene.when({ type: 'SendRequest', turnId: `t${n}`, request: { ...request, purpose: 'compaction', compaction } as RecordedSentRequest });
}

const summary = (n: number, requestId: string, given: ModelMessage, isRepeated = false): Command => ({
  ...{ type: 'RecordSummary', turnId: `t${n}`, requestId, compactionId: seed(1), at: AT },
  ...{ message: given, providerRequestId: null, durationMs: 1, isRepeated },
});

const failed = (n: number, requestId: string, code: string, retryAt: string | null): Command => ({
  ...{
    type: 'RecordRequestFailure',
    turnId: `t${n}`,
    requestId,
    error: { code, message: code },
    durationMs: 0,
    retryAt,
    rejected: [],
    partial: null,
    at: AT,
  },
  seed: seed(Number(requestId.slice(1))),
});

describe('a turn that finds the window nearly full', () => {
  it('compacts first, once, and continues', () => {
    const scene = grown(801);
    expect(due(grown(700))).toBeNull();
    expect(due(scene, OFF)).toBeNull();
    expect(due(scene)).toMatchObject({ trigger: 'auto', isRepeated: false, rejections: 0, plan: { keptFrom: 'm3' } });
    ask(scene, 3, 'r3');
    expect(scene.types(summary(3, 'r3', message([{ type: 'text', text: 'so far' }])))).toEqual([
      'request.completed',
      'message.appended',
      'message.appended',
      'session.compacted',
    ]);
    expect(tokensInUse(scene.state)).toBeNull();
    expect(due(scene)).toBeNull();
    expect(nextStep(scene.state, 't3')).toMatchObject({ kind: 'request', ordinal: 2 });
    expect(scene.state.lastSent?.request.requestId).toBe('r2');
  });

  it('does as its session says', () => {
    const scene = grown(900);
    scene.when({ type: 'ConfigureSession', changes: { autoCompact: false } });
    expect(due(scene)).toBeNull();
    scene.when({ type: 'ConfigureSession', changes: { autoCompact: true } });
    expect(due(scene, OFF)).not.toBeNull();
  });

  it('counts what came after the last answer, as an estimate, and nothing of an API error or of messages for readers only', () => {
    const scene = grown(700);
    const text = 'x'.repeat(4 * 110);
    scene.append({
      type: 'message.appended',
      data: { message: { type: 'user', uuid: 'long', parentUuid: scene.state.head, timestamp: AT, content: text }, turnId: 't3' },
    });
    expect(due(scene)).not.toBeNull();
  });

  it('does not ask again for a summary that the model refused: the turn can do without it', () => {
    const scene = grown(900);
    ask(scene, 3, 'r3');
    expect(canRepeatRefused(scene.state, LIMITS)).toBe(false);
  });

  it('continues without a summary that came to nothing, and does not ask for it again', () => {
    const endings: readonly ((scene: Scene) => Command)[] = [
      () => summary(3, 'r3', message([], 'refusal')),
      () => summary(3, 'r3', message([{ type: 'text', text: 'half' }], 'max_tokens')),
      () =>
        summary(
          3,
          'r3',
          message(
            [
              { type: 'text', text: 'I call' },
              { type: 'tool_use', id: 'a', name: 'lookup', input: {} },
            ],
            'tool_use',
          ),
        ),
      () => failed(3, 'r3', 'invalid_request_error', null),
    ];
    for (const ending of endings) {
      const scene = grown(900);
      const before = uuidsOnPath(scene);
      ask(scene, 3, 'r3');
      expect(scene.types(ending(scene))).toEqual(expect.not.arrayContaining(['session.compacted', 'turn.failed']));
      expect(uuidsOnPath(scene).slice(0, -1)).toEqual(before);
      expect(due(scene)).toBeNull();
      expect(scene.state.turn).toMatchObject({ status: 'running', failedAttempts: 0, retryAt: null });
    }
  });

  it('asks again after a failure that may pass, and after its worker was lost', () => {
    const scene = grown(900);
    ask(scene, 3, 'r3');
    expect(nextStep(scene.state, 't3')).toEqual({ kind: 'abandon-request', requestId: 'r3' });
    scene.when(failed(3, 'r3', 'worker_lost', AT));
    expect(due(scene)).toMatchObject({ trigger: 'auto', isRepeated: true, rejections: 0 });
    ask(scene, 3, 'r4');
    scene.when(failed(3, 'r4', 'prompt_too_long', AT));
    expect(due(scene)).toMatchObject({ isRepeated: true, rejections: 1 });
  });

  it('is kept from it by a hook, for the rest of the turn', () => {
    const scene = grown(900);
    const run = { hookRunId: 'h', event: 'PreCompact', outcome: 'blocked' } as HookRun;
    expect(scene.types({ type: 'RecordCompactionHooks', turnId: 't3', runs: [run], blocked: 'not now', at: AT, uuid: 'warning' })).toEqual([
      'hook.completed',
      'message.appended',
    ]);
    expect(due(scene)).toBeNull();
    scene.when(send(scene, 3, 'r3'));
    scene.when(answer(3, undefined, undefined, 'r3'));
    scene.when(submit(4));
    scene.when(prepare(4));
    expect(scene.state.turn?.compactionBlocked).toBe(false);
  });

  it('interrupted while it is summed up, ends as any other', () => {
    const scene = grown(900);
    ask(scene, 3, 'r3');
    scene.when({ type: 'Interrupt', reason: null, at: AT, seed: seed(11), gates: DEFAULT_PROMPT_GATES });
    const types = scene.types({
      type: 'FinishInterrupt',
      turnId: 't3',
      partial: null,
      durationMs: 1,
      at: AT,
      seed: seed(12),
      gates: DEFAULT_PROMPT_GATES,
    });
    expect(types).toEqual(['message.appended', 'request.failed', 'turn.interrupted']);
    expect(uuidsOnPath(scene).at(-1)).toBe(deriveId(seed(12), 'interruption'));
  });
});

describe('a request that is too long', () => {
  const rejectedAsTooLong = (scene: Scene): void => {
    scene.when(send(scene, 3, 'r3'));
    scene.when(failed(3, 'r3', 'prompt_too_long', canCompact(scene.state, LIMITS) ? AT : null));
  };

  it('is repeated after a summary of all turns but its own; if it is still too long, the turn fails', () => {
    const scene = grown(10);
    rejectedAsTooLong(scene);
    expect(due(scene)).toMatchObject({ trigger: 'auto', plan: { keptFrom: 'm3' } });
    expect(due(scene)?.plan?.summarized.flatMap(({ messages }) => messages.map(({ uuid }) => uuid))).toEqual(['m1', 'a-r1', 'm2', 'a-r2']);
    ask(scene, 3, 'r4');
    scene.when(summary(3, 'r4', message([{ type: 'text', text: 'so far' }])));
    expect(due(scene)).toBeNull();
    scene.when(send(scene, 3, 'r5'));
    expect(canCompact(scene.state, LIMITS)).toBe(false);
    expect(scene.types(failed(3, 'r5', 'prompt_too_long', null))).toEqual(['message.appended', 'request.failed', 'turn.failed']);
    expect(scene.state.turns.get('t3')?.error?.code).toBe('prompt_too_long');
  });

  it('is repeated also after a summary that the model refused at first: it is asked for again with less', () => {
    const scene = grown(10);
    rejectedAsTooLong(scene);
    ask(scene, 3, 'r4');
    expect(canRepeatRefused(scene.state, LIMITS)).toBe(true);
    expect(scene.types(summary(3, 'r4', message([], 'refusal'), true))).toEqual(['request.completed']);
    expect(nextStep(scene.state, 't3')).toMatchObject({ kind: 'request', ordinal: 3 });
    expect(due(scene)).toMatchObject({ trigger: 'auto', isRepeated: true, rejections: 1 });
    ask(scene, 3, 'r5');
    expect(scene.types(summary(3, 'r5', message([{ type: 'text', text: 'so far' }])))).toContain('session.compacted');
    expect(due(scene)).toBeNull();
    expect(scene.state.turn?.status).toBe('running');
  });

  it('fails the turn when it may not be summed up, or cannot be', () => {
    const scene = grown(10);
    expect(canCompact(scene.state, OFF)).toBe(false);
    const single = session();
    single.when(submit(1));
    single.when(prepare(1));
    expect(canCompact(single.state, LIMITS)).toBe(false);
    rejectedAsTooLong(scene);
    ask(scene, 3, 'r4');
    expect(scene.types(summary(3, 'r4', message([], 'refusal')))).toEqual(['request.completed', 'message.appended', 'turn.failed']);
    expect(scene.state.turns.get('t3')?.error?.code).toBe('prompt_too_long');
  });
});

describe('a turn that is a compaction', () => {
  const compact = (n: number): Command => ({
    type: 'SubmitPrompt',
    submission: { ...submission(n, ''), mode: 'compact', route: COMPACT },
    whenBusy: 'enqueue',
    maxQueued: 3,
    compaction: LIMITS,
  });
  const prepared = (n: number, query = true): Command => ({
    type: 'PrepareTurn',
    turnId: `t${n}`,
    messages: [],
    hookRuns: [],
    callsModel: query,
    checkpoints: [],
  });

  it('is rejected at once when there is nothing to summarize, and ends with a message when that is found later', () => {
    const scene = session();
    turn(scene, 1);
    scene.rejects(compact(2), 'nothing_to_compact');
    scene.when(submit(2));
    scene.when(compact(3));
    scene.when({ type: 'Interrupt', reason: null, at: AT, seed: seed(11), gates: DEFAULT_PROMPT_GATES });
    scene.when({ type: 'FinishInterrupt', turnId: 't2', partial: null, durationMs: 0, at: AT, seed: seed(12), gates: DEFAULT_PROMPT_GATES });
    scene.when(prepared(3));
    expect(due(scene, { ...LIMITS, keepTurns: 9 })).toMatchObject({ trigger: 'manual', plan: null });
    expect(scene.types({ type: 'CompleteNothingToCompact', turnId: 't3', at: AT, uuid: 'notice' })).toEqual(['message.appended', 'turn.completed']);
  });

  it('leaves the conversation unchanged when it is interrupted, before and during the summary', () => {
    for (const isOut of [false, true]) {
      const scene = session();
      turn(scene, 1);
      turn(scene, 2);
      const before = uuidsOnPath(scene);
      scene.when(compact(3));
      if (isOut) {
        scene.when(prepared(3));
        ask(scene, 3, 'r3', 'manual');
      }
      scene.when(submit(4));
      scene.when({ type: 'Interrupt', reason: null, at: AT, seed: seed(11), gates: DEFAULT_PROMPT_GATES });
      const types = scene.types({
        type: 'FinishInterrupt',
        turnId: 't3',
        partial: message([{ type: 'text', text: 'half' }], null),
        durationMs: 1,
        at: AT,
        seed: seed(12),
        gates: DEFAULT_PROMPT_GATES,
      });
      expect(types).toEqual([...(isOut ? ['request.failed'] : []), 'turn.interrupted', 'turn.started']);
      expect(uuidsOnPath(scene)).toEqual(before);
    }
  });

  it('asks for less each time that the model refuses, and fails in words when nothing less is left', () => {
    const scene = session();
    for (const n of [1, 2, 3]) turn(scene, n);
    scene.when(compact(4));
    scene.when(prepared(4));
    const readings: unknown[] = [];
    for (let request = 5, isRepeated = true; isRepeated; request += 1) {
      const { plan, rejections, trigger, isRepeated: isAgain } = due(scene)!;
      expect([trigger, rejections, isAgain]).toEqual(['manual', readings.length, readings.length > 0]);
      readings.push(readingOf(plan!, rejections, scene.state, LIMITS));
      ask(scene, 4, `r${request}`, 'manual');
      isRepeated = canRepeatRefused(scene.state, LIMITS);
      const types = scene.types(summary(4, `r${request}`, message([], 'refusal'), isRepeated));
      expect(types).toEqual(isRepeated ? ['request.completed'] : ['request.completed', 'message.appended', 'turn.failed']);
    }
    expect(readings).toEqual([
      { from: null, to: null, omitted: 0 },
      { from: null, to: 'm3', omitted: 0 },
      { from: 'm2', to: 'm3', omitted: 2 },
    ]);
    expect(scene.state.turns.get('t4')?.error).toEqual({ code: 'compaction_failed', message: expect.stringContaining('declined to summarize') });
  });

  it('fails in words when the model gives no summary, and lets the next one start', () => {
    const scene = session();
    turn(scene, 1);
    turn(scene, 2);
    scene.when(compact(3));
    scene.when(submit(4));
    scene.when(prepared(3));
    ask(scene, 3, 'r3', 'manual');
    expect(scene.types(summary(3, 'r3', message([], 'refusal')))).toEqual(['request.completed', 'message.appended', 'turn.failed', 'turn.started']);
    expect(scene.state.turns.get('t3')?.error).toEqual({ code: 'compaction_failed', message: expect.stringContaining('refusal') });
  });
});
