import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../errors.js';
import type { Submission } from '../intake/submission.js';
import type { ModelMessage } from '../message/message.js';
import type { Command } from './commands.js';
import { decide } from './decide.js';
import type { Actor, NewEvent, SentRequest, SessionEvent, SessionSettings } from './events.js';
import { evolve } from './evolve.js';
import { nextStep } from './next-step.js';
import { emptyState, type SessionState } from './state.js';
import { path } from './tree.js';

const SETTINGS: SessionSettings = {
  title: null,
  model: 'claude-test',
  system: null,
  context: {},
  systemContext: {},
  permissionMode: 'default',
  tools: [{ name: 'lookup', input_schema: { type: 'object' } }],
  metadata: {},
};
const AT = '2030-01-01T00:00:00.000Z';
const USER: Actor = { kind: 'user', id: 'u1' };

/** A session driven by commands, as the executor does it. */
class Scene {
  readonly state: SessionState = emptyState();
  readonly log: SessionEvent[] = [];

  when(command: Command): readonly NewEvent[] {
    const events = decide(command, this.state);
    for (const event of events) {
      const recorded: SessionEvent = { ...event, id: `e${this.state.version + 1}`, seq: this.state.version + 1, time: AT, sessionId: 's', actor: USER };
      this.log.push(recorded);
      evolve(this.state, recorded);
    }
    return events;
  }

  types(command: Command): readonly string[] {
    return this.when(command).map((event) => event.type);
  }

  refuses(command: Command, code: string): void {
    const before = this.state.version;
    let refusal: unknown;
    try {
      this.when(command);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(Refusal);
    expect((refusal as Refusal).code).toBe(code);
    expect(this.state.version).toBe(before);
  }
}

const submission = (n: number, value = `prompt ${n}`): Submission => ({
  promptId: `p${n}`,
  turnId: `t${n}`,
  uuid: `m${n}`,
  mode: 'prompt',
  original: ` ${value}`,
  value,
});
const submit = (n: number, value?: string, whenBusy: 'enqueue' | 'reject' | 'interrupt' = 'enqueue'): Command => ({
  type: 'SubmitPrompt',
  submission: submission(n, value),
  whenBusy,
  maxQueued: 3,
});
const prepare = (n: number, query = true): Command => ({
  type: 'PrepareTurn',
  turnId: `t${n}`,
  messages: [{ type: 'user', uuid: `m${n}`, timestamp: AT, content: `prompt ${n}`, permissionMode: 'default' }],
  hookRuns: [],
  query,
  checkpoints: [],
});
const send = (scene: Scene, n: number, requestId = `r${n}`): Command => ({
  type: 'SendRequest',
  turnId: `t${n}`,
  request: { requestId, turnId: `t${n}`, ordinal: 1, at: scene.state.version } as SentRequest,
});
const message = (content: ModelMessage['content'], stop_reason: string | null = 'end_turn'): ModelMessage => ({
  id: 'msg_1',
  role: 'assistant',
  model: 'claude-test',
  content,
  stop_reason,
  usage: { input_tokens: 10, output_tokens: 5 },
});
const answer = (n: number, content: ModelMessage['content'] = [{ type: 'text', text: 'yes' }], stop?: string, requestId = `r${n}`): Command => ({
  type: 'RecordAnswer',
  turnId: `t${n}`,
  requestId,
  uuid: `a-${requestId}`,
  closingUuid: `c-${requestId}`,
  at: AT,
  message: message(content, stop),
  providerRequestId: 'req_1',
  durationMs: 1,
});

function session(): Scene {
  const scene = new Scene();
  scene.when({ type: 'CreateSession', settings: SETTINGS });
  return scene;
}

function turn(scene: Scene, n: number): void {
  scene.when(submit(n));
  scene.when(prepare(n));
  scene.when(send(scene, n));
  scene.when(answer(n));
}

const uuidsOnPath = (scene: Scene): readonly string[] => path(scene.state).map((record) => record.message.uuid);

describe('submitting', () => {
  it('starts a turn when none runs', () => {
    expect(session().types(submit(1))).toEqual(['prompt.submitted', 'turn.started']);
  });

  it('queues while a turn runs, in order, and starts the next one with the end of the turn before', () => {
    const scene = session();
    scene.when(submit(1));
    expect(scene.types(submit(2))).toEqual(['prompt.submitted', 'prompt.queued']);
    expect(scene.when(submit(3))[1]).toMatchObject({ type: 'prompt.queued', data: { position: 2 } });
    scene.when(prepare(1));
    scene.when(send(scene, 1));
    expect(scene.types(answer(1))).toEqual(['message.appended', 'request.completed', 'turn.completed', 'turn.started']);
    expect(scene.state.turn?.promptId).toBe('p2');
    expect(scene.state.queue.map((waiting) => waiting.promptId)).toEqual(['p3']);
  });

  it('refuses instead when the caller will not wait, when the queue is full, when the session is closed, when the uuid is taken', () => {
    const scene = session();
    turn(scene, 1);
    scene.refuses({ ...submit(9), submission: { ...submission(9), uuid: 'm1' } } as Command, 'message_exists');
    scene.when(submit(2));
    scene.refuses(submit(3, 'x', 'reject'), 'session_busy');
    for (const n of [3, 4, 5]) scene.when(submit(n));
    scene.refuses(submit(6), 'limit_reached');
    const closed = session();
    closed.when({ type: 'CloseSession', reason: null });
    closed.refuses(submit(1), 'session_closed');
    closed.when({ type: 'ReopenSession' });
    expect(closed.types(submit(1))).toContain('turn.started');
  });

  it.each(['exit', 'quit', ':q', '/exit'])('closes the session on %s', (word) => {
    const scene = session();
    expect(scene.types(submit(1, word))).toEqual(['prompt.submitted', 'session.closed']);
    expect(scene.state.status).toBe('closed');
  });

  it('answers an unknown command at once, and takes a path for a prompt', () => {
    const scene = session();
    expect(scene.when(submit(1, '/nope now'))[0]).toMatchObject({ data: { disposition: 'answered', display: { text: 'Unknown command: /nope' } } });
    expect(scene.types(submit(2, '/var/log is full'))).toContain('turn.started');
  });

  it('withdraws a waiting prompt once, never a started one', () => {
    const scene = session();
    scene.when(submit(1));
    scene.when(submit(2));
    expect(scene.types({ type: 'WithdrawPrompt', promptId: 'p2' })).toEqual(['prompt.withdrawn']);
    expect(scene.types({ type: 'WithdrawPrompt', promptId: 'p2' })).toEqual([]);
    scene.refuses({ type: 'WithdrawPrompt', promptId: 'p1' }, 'prompt_already_started');
    scene.refuses({ type: 'WithdrawPrompt', promptId: 'p9' }, 'prompt_not_found');
  });
});

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

  it('refuses a late worker whose request has been given up', () => {
    const scene = session();
    scene.when(submit(1));
    scene.when(prepare(1));
    scene.when(send(scene, 1));
    const error = { code: 'worker_lost', message: 'lost' };
    scene.when({ type: 'RecordRequestFailure', turnId: 't1', requestId: 'r1', error, durationMs: 0, retryAt: AT, partial: null, at: AT, uuids: ['x', 'y'] });
    scene.when(send(scene, 1, 'r2'));
    scene.refuses(answer(1), 'turn_over');
    expect(scene.types(answer(1, undefined, undefined, 'r2'))).toContain('turn.completed');
  });

  it('does not send a payload that was built on an older version', () => {
    const scene = session();
    scene.when(submit(1));
    scene.when(prepare(1));
    const stale = send(scene, 1);
    scene.when(submit(2));
    scene.refuses(stale, 'version_conflict');
  });

  it('waits for the client tools, closes calls nobody can run, and goes on with the last result', () => {
    const scene = session();
    scene.when(submit(1));
    scene.when(prepare(1));
    scene.when(send(scene, 1));
    const calls = [
      { type: 'tool_use', id: 'one', name: 'lookup', input: {} },
      { type: 'tool_use', id: 'two', name: 'nobody', input: {} },
      { type: 'tool_use', id: 'three', name: 'lookup', input: {} },
    ] as const;
    expect(scene.types(answer(1, calls, 'tool_use'))).toEqual(['message.appended', 'message.appended', 'request.completed', 'turn.waiting']);
    expect(scene.state.status).toBe('waiting');
    const result = (toolUseId: string): Command => ({ type: 'PostToolResults', at: AT, results: [{ toolUseId, content: 'ok', isError: false, uuid: `res-${toolUseId}` }] });
    scene.refuses(result('two'), 'tool_call_not_waiting');
    expect(scene.types(result('three'))).toEqual(['message.appended']);
    scene.refuses(result('three'), 'tool_call_not_waiting');
    expect(scene.types(result('one'))).toEqual(['message.appended', 'turn.resumed']);
    expect(nextStep(scene.state, 't1')).toMatchObject({ kind: 'request', ordinal: 2 });
  });

  it('fails in a readable state and lets the queue go on', () => {
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
      partial: message([{ type: 'text', text: 'ha' }], null),
      at: AT,
      uuids: ['x', 'y'],
    };
    expect(scene.types(failure)).toEqual(['message.appended', 'message.appended', 'request.failed', 'turn.failed', 'turn.started']);
    expect(scene.state.messages.get('x')?.message).toMatchObject({ isVirtual: true });
    expect(scene.state.turns.get('t1')).toMatchObject({ status: 'failed', error });
  });
});

describe('interrupting', () => {
  it('is a wish the worker settles: the partial answer stays, calls are closed, the queue goes on', () => {
    const scene = session();
    scene.when(submit(1));
    scene.when(submit(2));
    scene.when(prepare(1));
    scene.when(send(scene, 1));
    const interrupt: Command = { type: 'Interrupt', reason: null, at: AT, uuids: ['i1', 'i2'] };
    expect(scene.types(interrupt)).toEqual(['turn.interrupt_requested']);
    expect(scene.types(interrupt)).toEqual([]);
    expect(nextStep(scene.state, 't1').kind).toBe('settle-interrupt');
    const partial = message([{ type: 'text', text: 'half' }, { type: 'tool_use', id: 'c', name: 'lookup', input: {} }], null);
    expect(scene.types({ type: 'SettleInterrupt', turnId: 't1', partial, durationMs: 1, at: AT, uuids: ['u1', 'u2', 'u3'] })).toEqual([
      'message.appended',
      'message.appended',
      'message.appended',
      'request.failed',
      'turn.interrupted',
      'turn.started',
    ]);
    expect(uuidsOnPath(scene)).toEqual(['m1', 'u3', 'u1', 'u2']);
    expect(scene.state.messages.get('u2')?.message).toMatchObject({ content: [{ text: '[Request interrupted by user for tool use]' }] });
  });

  it('keeps the prompt when the turn had not got to it yet', () => {
    const scene = session();
    scene.when(submit(1));
    scene.when({ type: 'Interrupt', reason: null, at: AT, uuids: ['i1', 'i2'] });
    scene.refuses(prepare(1), 'version_conflict');
    scene.when({ type: 'SettleInterrupt', turnId: 't1', partial: null, durationMs: 0, at: AT, uuids: ['u1', 'u2', 'u3'] });
    expect(uuidsOnPath(scene)).toEqual(['m1', 'u2']);
  });

  it('does nothing when nothing runs, and settles at once what waits for the client', () => {
    const scene = session();
    expect(scene.types({ type: 'Interrupt', reason: null, at: AT, uuids: ['i1', 'i2'] })).toEqual([]);
    scene.when(submit(1));
    scene.when(prepare(1));
    scene.when(send(scene, 1));
    scene.when(answer(1, [{ type: 'tool_use', id: 'one', name: 'lookup', input: {} }], 'tool_use'));
    expect(scene.types({ type: 'Interrupt', reason: null, at: AT, uuids: ['i1', 'i2'] })).toEqual([
      'turn.interrupt_requested',
      'message.appended',
      'message.appended',
      'turn.interrupted',
    ]);
    expect(scene.state.status).toBe('idle');
  });
});

describe('rewinding', () => {
  it('moves the head before or after a message, and restore brings it back even after new prompts', () => {
    const scene = session();
    turn(scene, 1);
    turn(scene, 2);
    scene.when({ type: 'Rewind', rewindId: 'w', target: { before: 'm2' }, reason: 'why' });
    expect(uuidsOnPath(scene)).toEqual(['m1', 'a-r1']);
    expect(scene.state.rewinds.get('w')?.data.removed).toEqual(['m2', 'a-r2']);
    turn(scene, 3);
    expect(uuidsOnPath(scene)).toEqual(['m1', 'a-r1', 'm3', 'a-r3']);
    scene.refuses({ type: 'Rewind', rewindId: 'v', target: { after: 'm2' }, reason: null }, 'message_not_on_path');
    scene.when({ type: 'Restore', rewindId: 'w' });
    expect(uuidsOnPath(scene)).toEqual(['m1', 'a-r1', 'm2', 'a-r2']);
    scene.refuses({ type: 'Restore', rewindId: 'nope' }, 'rewind_not_found');
  });

  it('can take everything back, and is refused while a turn runs', () => {
    const scene = session();
    turn(scene, 1);
    scene.when({ type: 'Rewind', rewindId: 'w', target: { before: 'm1' }, reason: null });
    expect(scene.state.head).toBeNull();
    scene.when({ type: 'Restore', rewindId: 'w' });
    scene.when(submit(2));
    scene.refuses({ type: 'Rewind', rewindId: 'v', target: { before: 'm1' }, reason: null }, 'session_busy');
  });

  it('gives back the permission mode of that point', () => {
    const scene = session();
    turn(scene, 1);
    scene.when({ type: 'ConfigureSession', changes: { permissionMode: 'bypassPermissions' } });
    scene.when({ type: 'Rewind', rewindId: 'w', target: { before: 'm1' }, reason: null });
    expect(scene.state.settings.permissionMode).toBe('default');
  });
});
