import { describe, expect, it } from '@jest/globals';
import { answer, AT, message, prepare, seed, send, session, submit, uuidsOnPath } from '../../../test/support/given-session.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import type { Command } from '../state/commands.js';
import { nextStep } from './next-step.js';
import { DEFAULT_PROMPT_GATES } from '../../../packages/protocol/gates.js';

describe('the turn', () => {
  it('goes prepare, request, answer, and books usage once', () => {
    const scene = session();
    scene.when(submit(1));
    expect(nextStep(scene.state, 't1').kind).toBe('prepare');
    scene.when(prepare(1));
    expect(nextStep(scene.state, 't1')).toMatchObject({ kind: 'request', ordinal: 1 });
    scene.when(send(scene, 1));
    expect(nextStep(scene.state, 't1')).toEqual({ kind: 'abandon-request', requestId: 'r1' });
    scene.when(answer(1));
    expect(nextStep(scene.state, 't1').kind).toBe('nothing');
    expect(scene.state.usage).toMatchObject({ inputTokens: 10, outputTokens: 5, requests: 1 });
    expect(uuidsOnPath(scene)).toEqual(['m1', 'a-r1']);
  });

  it('rejects a late report on a request that was abandoned', () => {
    const scene = session();
    scene.when(submit(1));
    scene.when(prepare(1));
    scene.when(send(scene, 1));
    const error = { code: 'worker_lost', message: 'lost' };
    scene.when({
      type: 'RecordRequestFailure',
      turnId: 't1',
      requestId: 'r1',
      error,
      durationMs: 0,
      retryAt: AT,
      rejected: [],
      partial: null,
      at: AT,
      seed: seed(10),
    });
    scene.when(send(scene, 1, 'r2'));
    scene.rejects(answer(1), 'turn_over');
    expect(scene.types(answer(1, undefined, undefined, 'r2'))).toContain('turn.completed');
  });

  it('is prepared once, and takes reports about itself alone', () => {
    const scene = session();
    scene.when(submit(1));
    scene.when(prepare(1));
    scene.rejects({ ...prepare(1), messages: [] } as Command, 'turn_over');
    scene.rejects({ type: 'FailTurn', turnId: 't0', error: { code: 'x', message: 'x' }, at: AT, uuid: seed(9) }, 'turn_over');
    expect(scene.state.status).toBe('running');
  });

  it('does not send a payload that was built on an older version', () => {
    const scene = session();
    scene.when(submit(1));
    scene.when(prepare(1));
    const stale = send(scene, 1);
    scene.when(submit(2));
    scene.rejects(stale, 'version_conflict');
  });

  it('waits for the client tools, closes calls of unknown tools, and continues with the last result', () => {
    const scene = session();
    scene.when(submit(1));
    scene.when(prepare(1));
    scene.when(send(scene, 1));
    const calls = [
      { type: 'tool_use', id: 'one', name: 'lookup', input: {} },
      { type: 'tool_use', id: 'two', name: 'unknown', input: {} },
      { type: 'tool_use', id: 'three', name: 'lookup', input: {} },
    ] as const;
    expect(scene.types(answer(1, calls, 'tool_use'))).toEqual(['message.appended', 'message.appended', 'request.completed', 'turn.waiting']);
    expect(scene.state.status).toBe('waiting');
    expect(nextStep(scene.state, 't1').kind).toBe('nothing');
    const result = (toolUseId: string): Command => ({
      type: 'PostToolResults',
      at: AT,
      results: [{ toolUseId, content: 'ok', isError: false, uuid: `res-${toolUseId}` }],
    });
    scene.rejects(result('two'), 'tool_call_not_waiting');
    expect(scene.types(result('three'))).toEqual(['message.appended']);
    scene.rejects(result('three'), 'tool_call_not_waiting');
    expect(scene.types(result('one'))).toEqual(['message.appended', 'turn.resumed']);
    expect(nextStep(scene.state, 't1')).toMatchObject({ kind: 'request', ordinal: 2 });
  });

  it('fails in a readable state and lets the queue continue', () => {
    const scene = session();
    scene.when(submit(1));
    scene.when(submit(2));
    scene.when(prepare(1));
    scene.when(send(scene, 1));
    const error = { code: 'invalid_request_error', message: 'no', status: 400 };
    const failure: Command = {
      type: 'RecordRequestFailure',
      turnId: 't1',
      requestId: 'r1',
      error,
      durationMs: 0,
      retryAt: null,
      rejected: [],
      partial: message([{ type: 'text', text: 'ha' }], null),
      at: AT,
      seed: seed(10),
    };
    expect(scene.types(failure)).toEqual(['message.appended', 'message.appended', 'request.failed', 'turn.failed', 'turn.started']);
    expect(scene.state.messages.get(deriveId(seed(10), 'partial-answer'))?.message).toMatchObject({ isVirtual: true });
    expect(scene.state.turns.get('t1')).toMatchObject({ status: 'failed', error });
  });
});

describe('interrupting', () => {
  it('is a wish that the worker carries out: the partial answer stays, calls are closed, the queue continues', () => {
    const scene = session();
    scene.when(submit(1));
    scene.when(submit(2));
    scene.when(prepare(1));
    scene.when(send(scene, 1));
    const interrupt: Command = { type: 'Interrupt', reason: null, at: AT, seed: seed(11), gates: DEFAULT_PROMPT_GATES };
    expect(scene.types(interrupt)).toEqual(['turn.interrupt_requested']);
    expect(scene.types(interrupt)).toEqual([]);
    expect(nextStep(scene.state, 't1').kind).toBe('finish-interrupt');
    const partial = message(
      [
        { type: 'text', text: 'half' },
        { type: 'tool_use', id: 'c', name: 'lookup', input: {} },
      ],
      null,
    );
    expect(scene.types({ type: 'FinishInterrupt', turnId: 't1', partial, durationMs: 1, at: AT, seed: seed(12), gates: DEFAULT_PROMPT_GATES })).toEqual([
      'message.appended',
      'message.appended',
      'message.appended',
      'request.failed',
      'turn.interrupted',
      'turn.started',
    ]);
    expect(uuidsOnPath(scene)).toEqual(['m1', ...['partial-answer', 'closed-calls', 'interruption'].map((name) => deriveId(seed(12), name))]);
    expect(scene.state.messages.get(deriveId(seed(12), 'interruption'))?.message).toMatchObject({
      content: [{ text: '[Request interrupted by user for tool use]' }],
    });
  });

  it('keeps the prompt when the turn had not got to it yet', () => {
    const scene = session();
    scene.when(submit(1));
    scene.when({ type: 'Interrupt', reason: null, at: AT, seed: seed(11), gates: DEFAULT_PROMPT_GATES });
    scene.rejects(prepare(1), 'version_conflict');
    scene.when({ type: 'FinishInterrupt', turnId: 't1', partial: null, durationMs: 0, at: AT, seed: seed(12), gates: DEFAULT_PROMPT_GATES });
    expect(uuidsOnPath(scene)).toEqual(['m1', deriveId(seed(12), 'interruption')]);
  });

  it('does nothing when nothing runs, and ends at once what waits for the client', () => {
    const scene = session();
    expect(scene.types({ type: 'Interrupt', reason: null, at: AT, seed: seed(11), gates: DEFAULT_PROMPT_GATES })).toEqual([]);
    scene.when(submit(1));
    scene.when(prepare(1));
    scene.when(send(scene, 1));
    scene.when(answer(1, [{ type: 'tool_use', id: 'one', name: 'lookup', input: {} }], 'tool_use'));
    const interrupt: Command = { type: 'Interrupt', reason: null, at: AT, seed: seed(11), gates: DEFAULT_PROMPT_GATES };
    expect(scene.types({ ...interrupt, turnId: 'another' })).toEqual([]);
    expect(scene.types({ ...interrupt, turnId: 't1' })).toEqual(['turn.interrupt_requested', 'message.appended', 'message.appended', 'turn.interrupted']);
    expect(scene.state.status).toBe('idle');
  });
});
