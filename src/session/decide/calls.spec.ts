import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  waitForCalls,
  calling,
  decide,
  decisions,
  interrupt,
  outcome,
  post,
  resultsOf,
  finishInterrupt,
  resumeForHelper,
  startCall,
  startHelper,
  use,
  verdict,
} from '../../../test/support/calls.js';
import { callsWithoutOneOutcome } from '../../../test/support/call-outcomes.js';
import { answer, AT, Scene, send } from '../../../test/support/given-session.js';
import { MEMORY_TOOL, type ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';
import { MEMORY_CORRECTION } from '../../../packages/protocol/message/memory-correction.js';
import { CANCELLED, INTERRUPTED_FOR_TOOL_USE, OUTCOME_UNKNOWN, REJECTED } from '../../../packages/protocol/message/wire-texts.js';
import { checkRequest } from '../../../packages/normalizer/api-rules/index.js';
import { buildPayload } from '../../../packages/normalizer/build-payload.js';
import { profileFor } from '../../../packages/normalizer/models/profiles.js';
import { payloadInput } from '../payload/payload-input.js';
import type { Command } from '../state/commands.js';
import { evolve, fold } from '../state/evolve.js';
import { nextStep } from './next-step.js';
import { callsThatAre, isForHelper } from '../state/tool-calls.js';
import { DEFAULT_NORMALIZE_GATES, DEFAULT_PROMPT_GATES } from '../../../packages/protocol/gates.js';
import { runs } from '../../../test/support/property-runs.js';

const step = (scene: Scene) => nextStep(scene.state, 't1').kind;

function contentOf(scene: Scene, toolUseId: string): unknown {
  const message = scene.state.messages.get(scene.state.turns.get('t1')?.calls.get(toolUseId)?.resultUuid ?? '')?.message;
  const blocks = message?.type === 'user' && typeof message.content !== 'string' ? message.content : [];
  return blocks.find((block) => block.type === 'tool_result' && block.tool_use_id === toolUseId);
}

describe('the tools a model is offered', () => {
  it("are the server's, then the client's, and the client's own counts where both have one of a name", () => {
    const scene = calling(use('a'));
    const names = () => payloadInput(scene.state, { gates: DEFAULT_NORMALIZE_GATES, maxTokens: 1 }).tools.map(({ name }) => name);
    expect(names()).toEqual(['Bash', 'Read', 'Agent', 'lookup']);
    scene.when({ type: 'ConfigureSession', changes: { tools: [{ name: 'Bash', input_schema: { type: 'object' } }] } });
    expect(names()).toEqual(['Read', 'Agent', 'Bash']);
  });

  it('are written down when they change, and only then', () => {
    const scene = calling(use('a'));
    expect(scene.types({ type: 'OfferTools', turnId: 't1', tools: scene.state.serverTools })).toEqual([]);
    expect(scene.types({ type: 'OfferTools', turnId: 't1', tools: [] })).toEqual(['session.tools_changed']);
  });
});

describe('calls', () => {
  it('are decided, started, completed, and the model is retried', () => {
    const scene = calling(use('a'));
    expect(step(scene)).toBe('decide-calls');
    expect(scene.types(decisions(verdict('a', 'allow', { updatedInput: { command: 'pwd' } })))).toEqual(['tool.decided']);
    expect(step(scene)).toBe('run-calls');
    expect(scene.when(startCall('a'))).toEqual([{ type: 'tool.started', data: { turnId: 't1', toolUseId: 'a', name: 'Bash', input: { command: 'pwd' } } }]);
    expect(scene.types(outcome('a'))).toEqual(['tool.completed', 'message.appended']);
    expect(step(scene)).toBe('request');
  });

  it('end plan mode, but not a mode that was set meanwhile', () => {
    for (const permissionMode of ['plan', 'acceptEdits'] as const) {
      const scene = calling(use('a'));
      scene.when({ type: 'ConfigureSession', changes: { permissionMode } });
      scene.when(decisions(verdict('a', 'allow')));
      scene.when(startCall('a'));
      const left = scene.types({ ...outcome('a'), leavesPlanMode: true } as ReturnType<typeof outcome>);
      expect(left).toEqual(['tool.completed', ...(permissionMode === 'plan' ? ['session.configured'] : []), 'message.appended']);
    }
  });

  it('start once, and never after a user has stopped the turn', () => {
    const scene = calling(use('a'), use('b'));
    scene.rejects(startCall('a'), 'version_conflict');
    scene.when(decisions(verdict('a', 'allow'), verdict('b', 'allow')));
    scene.when(startCall('a'));
    scene.rejects(startCall('a'), 'turn_over');
    scene.when(interrupt);
    scene.rejects(startCall('b'), 'version_conflict');
  });

  it('that can run keep a turn from waiting for others', () => {
    const scene = calling(use('a'), use('b', 'lookup'));
    scene.rejects(waitForCalls, 'version_conflict');
    scene.when(decisions(verdict('a', 'allow')));
    scene.rejects(waitForCalls, 'version_conflict');
    scene.when(startCall('a'));
    scene.rejects(waitForCalls, 'version_conflict');
    scene.when(outcome('a'));
    expect(scene.types(waitForCalls)).toEqual(['turn.waiting']);
  });

  it('are stored in their order, whichever ends first', () => {
    const scene = calling(use('a'), use('b'), use('c'));
    scene.when(decisions(...['a', 'b', 'c'].map((id) => verdict(id, 'allow'))));
    for (const id of ['a', 'b', 'c']) scene.when(startCall(id));
    expect(scene.when(outcome('c'))).toMatchObject([{ type: 'tool.completed', data: { toolUseId: 'c', deferred: [{ uuid: 'result-c' }] } }]);
    expect(scene.types(outcome('a'))).toEqual(['tool.completed', 'message.appended']);
    expect(scene.types(outcome('b'))).toEqual(['tool.completed', 'message.appended', 'message.appended']);
    expect(resultsOf(scene)).toEqual(['a', 'b', 'c']);
    scene.rejects(outcome('b'), 'turn_over');
  });

  it('of a lost worker are closed, and not rerun', () => {
    const scene = calling(use('a'), use('b'));
    scene.when(decisions(verdict('a', 'allow'), verdict('b', 'allow')));
    scene.when(startCall('a'));
    expect(nextStep(scene.state, 't1')).toEqual({ kind: 'close-lost-calls', toolUseIds: ['a'] });
    scene.when(outcome('a', 'unknown'));
    expect(step(scene)).toBe('run-calls');
    expect(callsThatAre('ready', scene.state.turn!).map(({ toolUseId }) => toolUseId)).toEqual(['b']);
    scene.rejects(outcome('a'), 'turn_over'); // of the lost worker, after all
  });

  it('that hooks stop end the turn once the others have results', () => {
    const scene = calling(use('a'), use('b'));
    scene.when(decisions(verdict('a', 'deny', { endReason: 'enough' }), verdict('b', 'allow')));
    expect(step(scene)).toBe('run-calls');
    scene.when(startCall('b'));
    scene.when(outcome('b'));
    expect(step(scene)).toBe('finish');
    expect(scene.when({ type: 'FinishTurn', turnId: 't1', hookRuns: [], messages: [], continues: false })).toMatchObject([
      { type: 'turn.completed', data: { stopReason: 'stopped_by_hook' } },
    ]);
  });

  it('beyond the limit, with an input that is no object, or of an answer that was cut short are closed unrun', () => {
    const scene = calling(...Array.from({ length: 9 }, (_, index) => use(`c${index}`)), use('d', 'Bash', 'text'));
    expect(contentOf(scene, 'c8')).toMatchObject({ is_error: true, content: expect.stringContaining('One answer can have at most 8 calls') });
    expect(contentOf(scene, 'd')).toMatchObject({ is_error: true, content: expect.stringContaining('not an object') });
    expect(callsThatAre('pending', scene.state.turn!)).toHaveLength(8);

    const cut = calling(use('a'));
    cut.when(decisions(verdict('a', 'deny')));
    cut.when(send(cut, 1, 'r2'));
    expect(cut.types(answer(1, [use('z')], 'max_tokens', 'r2'))).toEqual(['message.appended', 'message.appended', 'request.completed', 'turn.completed']);
    expect(contentOf(cut, 'z')).toMatchObject({ is_error: true, content: expect.stringContaining('ended early (max_tokens)') });
  });
});

describe('a person', () => {
  const asked = (...ids: readonly string[]): Scene => {
    const scene = calling(...ids.map((id) => use(id)));
    scene.when(decisions(...ids.map((id) => verdict(id, 'ask'))));
    return scene;
  };

  it('is waited for, and the last word has the turn continue', () => {
    const scene = asked('a', 'b');
    expect(step(scene)).toBe('wait-for-calls');
    expect(scene.when(waitForCalls)).toEqual([{ type: 'turn.waiting', data: { turnId: 't1', toolUseIds: [], decisions: ['a', 'b'] } }]);
    expect(scene.state.status).toBe('waiting');
    expect(scene.types(decide('b', 'allow'))).toEqual(['tool.decided']);
    expect(scene.types(decide('a', 'reject', 'not that one'))).toEqual(['tool.decided', 'message.appended', 'turn.resumed']);
    expect(contentOf(scene, 'a')).toMatchObject({
      is_error: true,
      content: expect.stringMatching(/^The user doesn't want to proceed with this tool use[^]*not that one$/),
    });
    expect(callsThatAre('ready', scene.state.turn!).map(({ toolUseId }) => toolUseId)).toEqual(['b']);
  });

  it("is rejected for a call that is unknown, completed, decided, the client's, or no longer waiting", () => {
    const scene = asked('a', 'b');
    scene.rejects(decide('none', 'allow'), 'tool_call_not_found');
    scene.when(decide('a', 'allow'));
    for (const decision of ['allow', 'reject', 'cancel'] as const) scene.rejects(decide('a', decision), 'tool_call_not_waiting');
    scene.when(interrupt);
    scene.rejects(decide('b', 'allow'), 'tool_call_not_waiting');
    scene.when(finishInterrupt);
    scene.rejects(decide('b', 'allow'), 'tool_call_not_waiting');
    const clients = calling(use('mine', 'lookup'));
    clients.rejects(decide('mine', 'allow'), 'tool_call_not_waiting');
  });

  it('ends the turn on a denial without feedback, and on a cancelled call', () => {
    for (const [decision, text] of [
      ['reject', REJECTED],
      ['cancel', CANCELLED],
    ] as const) {
      const scene = asked('a', 'b');
      scene.when(waitForCalls);
      expect(scene.types(decide('b', decision))).toEqual([
        'tool.decided',
        'turn.interrupt_requested',
        'message.appended',
        'message.appended',
        'message.appended',
        'turn.interrupted',
      ]);
      expect(contentOf(scene, 'b')).toMatchObject({ is_error: true, content: text });
      expect(contentOf(scene, 'a')).toMatchObject({ is_error: true, content: CANCELLED });
      expect(scene.state.messages.get(scene.state.head!)?.message).toMatchObject({ content: [{ text: INTERRUPTED_FOR_TOOL_USE }] });
    }
  });

  it('is remembered, where that is switched on', () => {
    const gates = { ...DEFAULT_PROMPT_GATES, 'auto-memory': true, 'memory-correction': true };
    const scene = asked('a', 'b');
    scene.when(waitForCalls);
    scene.when({ ...decide('a', 'reject'), gates } as Command);
    expect(contentOf(scene, 'a')).toMatchObject({ content: REJECTED + MEMORY_CORRECTION });
    expect(contentOf(scene, 'b')).toMatchObject({ content: CANCELLED + MEMORY_CORRECTION });
  });

  it('is remembered where the turn has the memory of this server, and not where it may not use it', () => {
    const gates = { ...DEFAULT_PROMPT_GATES, 'memory-correction': true };
    const said = (given: readonly ToolDefinition[], owner: string | null): unknown => {
      const scene = asked('a');
      scene.state.serverTools = given;
      scene.state.ownerId = owner;
      scene.when(waitForCalls);
      scene.when({ ...decide('a', 'reject'), gates } as Command);
      return (contentOf(scene, 'a') as { readonly content: unknown }).content;
    };
    const memory: ToolDefinition = { ...MEMORY_TOOL, description: 'm', input_schema: {}, source: 'builtin', effect: 'read' };
    const author = asked('a').state.prompts.values().next().value!.by;
    expect([said([memory], author), said([], author), said([memory], 'another')]).toEqual([REJECTED + MEMORY_CORRECTION, REJECTED, REJECTED]);
  });

  it('stops calls that run, too, but their worker records that', () => {
    const scene = calling(use('a'), use('b'));
    scene.when(decisions(verdict('a', 'allow'), verdict('b', 'ask')));
    scene.when(startCall('a'));
    expect(scene.types(decide('b', 'reject'))).toEqual(['tool.decided', 'turn.interrupt_requested']);
    scene.when(outcome('a', 'interrupted'));
    scene.when(finishInterrupt);
    expect(contentOf(scene, 'b')).toMatchObject({ content: REJECTED });
    expect(resultsOf(scene)).toEqual(['a', 'b']);
  });

  it('may let a call through while others run', () => {
    const scene = calling(use('a'), use('b'));
    scene.when(decisions(verdict('a', 'allow'), verdict('b', 'ask')));
    scene.when(startCall('a'));
    scene.when(decide('b', 'allow'));
    scene.when(startCall('b'));
    scene.when(outcome('b'));
    scene.when(outcome('a'));
    expect(resultsOf(scene)).toEqual(['a', 'b']);
  });

  it('and the client may both owe an answer: consent runs the call before the client has answered', () => {
    const scene = calling(use('a'), use('b', 'lookup'));
    scene.when(decisions(verdict('a', 'ask')));
    expect(scene.when(waitForCalls)).toEqual([{ type: 'turn.waiting', data: { turnId: 't1', toolUseIds: ['b'], decisions: ['a'] } }]);
    expect(scene.types(decide('a', 'allow'))).toEqual(['tool.decided', 'turn.resumed']);
    scene.when(startCall('a'));
    scene.when(outcome('a'));
    expect(step(scene)).toBe('wait-for-calls');
    scene.when(waitForCalls);
    expect(scene.types(post('b'))).toEqual(['message.appended', 'turn.resumed']);
    expect(step(scene)).toBe('request');
  });

  it('who does not answer is not waited for for ever', () => {
    const scene = calling(use('a'), use('b', 'lookup'), use('c'));
    scene.when(decisions(verdict('a', 'ask'), verdict('c', 'deny')));
    scene.when(waitForCalls);
    expect(scene.types({ type: 'ExpireCalls', turnId: 't1', waitedMs: 60_000, at: AT, uuid: 'x' })).toEqual([
      'tool.decided',
      'message.appended',
      'message.appended',
      'turn.resumed',
    ]);
    expect(contentOf(scene, 'a')).toMatchObject({ content: 'This call was not allowed or rejected within 60 s. It was not run.' });
    expect(contentOf(scene, 'b')).toMatchObject({ content: expect.stringContaining('did not answer this call within 60 s') });
    expect(step(scene)).toBe('request');
    scene.rejects({ type: 'ExpireCalls', turnId: 't1', waitedMs: 60_000, at: AT, uuid: 'y' }, 'turn_over');
  });
});

describe('an interrupt', () => {
  it('closes calls that have not run as cancelled, and calls with an unknown outcome as unknown', () => {
    const scene = calling(use('a'), use('b'), use('c'), use('d', 'lookup'));
    scene.when(decisions(verdict('a', 'allow'), verdict('b', 'allow'), verdict('c', 'allow')));
    scene.when(startCall('b'));
    scene.when(startCall('c'));
    scene.when(outcome('c'));
    scene.when(interrupt);
    scene.when(finishInterrupt);
    expect(['a', 'b', 'c', 'd'].map((id) => (contentOf(scene, id) as { content: string }).content)).toEqual([
      CANCELLED,
      OUTCOME_UNKNOWN,
      'outcome of c',
      CANCELLED,
    ]);
    expect(scene.state.turns.get('t1')?.calls.get('b')).toMatchObject({ outcome: 'unknown', isError: true });
    expect(callsWithoutOneOutcome(scene.log)).toEqual([]);
    expect(scene.state.messages.get(scene.state.head!)?.message).toMatchObject({ content: [{ text: INTERRUPTED_FOR_TOOL_USE }] });
  });
});

describe('a Stop hook', () => {
  const stopped = (): Scene => {
    const scene = calling(use('a'));
    scene.when(decisions(verdict('a', 'deny')));
    scene.when(send(scene, 1, 'r2'));
    scene.when({ ...answer(1, undefined, undefined, 'r2'), hasStopHooks: true } as Command);
    return scene;
  };
  const finish = (goesOn: boolean): Command => ({
    type: 'FinishTurn',
    turnId: 't1',
    hookRuns: [],
    messages: goesOn ? [{ type: 'user', uuid: 'more', timestamp: AT, isMeta: true, content: 'more' }] : [],
    continues: goesOn,
  });

  it('has a say before the turn ends, and may have the model continue', () => {
    const scene = stopped();
    expect(step(scene)).toBe('finish');
    scene.when(finish(true));
    expect(scene.state.turn).toMatchObject({ finalStopReason: null, continuations: 1 });
    expect(step(scene)).toBe('request');
    expect(stopped().when(finish(false))).toMatchObject([{ type: 'turn.completed', data: { stopReason: 'end_turn' } }]);
  });

  it('has none after a user has asked the turn to stop', () => {
    const scene = stopped();
    scene.when(interrupt);
    scene.rejects(finish(true), 'version_conflict');
    expect(step(scene)).toBe('finish-interrupt');
  });
});

/** Whatever could happen next to the calls of the turn. */
function possible(scene: Scene): readonly Command[] {
  const { turn } = scene.state;
  if (!turn || turn.turnId !== 't1') return [];
  const ids = (status: Parameters<typeof callsThatAre>[0]) => callsThatAre(status, turn).map(({ toolUseId }) => toolUseId);
  const kinds = ['allow', 'ask', 'deny'] as const;
  const undecided = ids('pending');
  const worker = turn.status === 'running' ? nextStep(scene.state, 't1').kind : 'nothing';
  const helped = ids('awaiting_helper');
  // A further helper may have to wait for the end of one, after which its result is recorded first.
  const isFull = worker === 'run-calls' && helped.length > 0 && callsThatAre('ready', turn).every(isForHelper);
  const waits = (worker === 'wait-for-calls' || isFull) && !(helped.length > 0 && scene.log.at(-1)?.type === 'turn.resumed');
  return [
    ...(undecided.length > 0 && !turn.interruptRequested
      ? [0, 1, 2, 3].map((shift) => decisions(...undecided.map((id, index) => verdict(id, kinds[(index * (shift + 1) + shift) % 3]!))))
      : []),
    ...(turn.interruptRequested || turn.status !== 'running'
      ? []
      : callsThatAre('ready', turn).map((call) => (isForHelper(call) ? startHelper : startCall)(call.toolUseId))),
    ...ids('running').flatMap((id) => [outcome(id), outcome(id, 'unknown')]),
    ...helped.map((id) => (turn.status === 'waiting' ? resumeForHelper(id) : outcome(id))),
    ...ids('awaiting_decision').flatMap((id) => (turn.interruptRequested ? [] : [decide(id, 'allow'), decide(id, 'reject', 'so')])),
    ...ids('awaiting_client').map((id) => post(id)),
    ...(waits ? [waitForCalls] : []),
    ...(worker === 'finish-interrupt' ? [finishInterrupt] : []),
  ];
}

const someCalls = fc
  .array(fc.constantFrom('Bash', 'Read', 'lookup', 'Agent'), { minLength: 1, maxLength: 6 })
  .map((names) => names.map((name, index) => use(`c${index}`, name)));

/** Goes on until the model could be asked again, or the turn is over. */
function playOn(scene: Scene, choices: readonly number[], stopAt: number | null = null): void {
  for (let round = 0; round < 60; round += 1) {
    if (round === stopAt && scene.state.turn && !scene.state.turn.interruptRequested) scene.when(interrupt);
    const commands = possible(scene);
    if (commands.length === 0) return;
    scene.when(commands[(choices[round % Math.max(choices.length, 1)] ?? 0) % commands.length]!);
  }
  throw new Error('the turn does not come to its end');
}

describe('a call that a helper carries out', () => {
  const helped = (): Scene => {
    const scene = calling(use('a', 'Agent'), use('b', 'Agent'));
    scene.when(decisions(verdict('a', 'allow'), verdict('b', 'allow')));
    scene.when(startHelper('a'));
    return scene;
  };

  it('is waited for without a worker, also while another one has to wait for its end, and the turn runs again when the helper has ended', () => {
    const scene = helped();
    expect(scene.state.turn?.calls.get('a')).toMatchObject({ helper: 'helper-a' });
    expect(scene.when(waitForCalls)).toEqual([{ type: 'turn.waiting', data: { turnId: 't1', toolUseIds: [], helpers: ['a'] } }]);
    expect(step(scene)).toBe('nothing');
    expect(scene.types(resumeForHelper('b'))).toEqual([]);
    expect(scene.types(resumeForHelper('a'))).toEqual(['turn.resumed']);
    expect(scene.types(resumeForHelper('a'))).toEqual([]);
    expect(scene.types(outcome('a'))).toEqual(['tool.completed', 'message.appended']);
    scene.rejects(outcome('a'), 'turn_over');
    scene.rejects(waitForCalls, 'version_conflict');
    scene.when(startHelper('b'));
    expect(step(scene)).toBe('wait-for-calls');
  });

  it('is not given up with the wait of a client, and is closed by an interrupt, which says that what was done remains', () => {
    const scene = helped();
    scene.when(waitForCalls);
    expect(scene.types({ type: 'ExpireCalls', turnId: 't1', waitedMs: 1, at: AT, uuid: 'x' })).toEqual([]);
    const events = scene.when(interrupt);
    expect(events).toContainEqual({ type: 'tool.completed', data: expect.objectContaining({ toolUseId: 'a', outcome: 'interrupted' }) });
    expect(contentOf(scene, 'a')).toMatchObject({ is_error: true, content: expect.stringContaining('What it had done until then remains done') });
    expect(contentOf(scene, 'b')).toMatchObject({ content: CANCELLED });
  });
});

describe('whatever happens in whatever order', () => {
  it("every call has one result, the server's stand in the order of the calls, the model API takes the conversation, and the log folds to the state", () => {
    fc.assert(
      fc.property(someCalls, fc.array(fc.nat(60), { minLength: 1, maxLength: 30 }), fc.option(fc.nat(12)), (calls, choices, stopAt) => {
        const scene = calling(...calls);
        playOn(scene, choices, stopAt);
        const results = resultsOf(scene);
        expect(results.toSorted()).toEqual(calls.map(({ id }) => id).toSorted());
        expect(callsWithoutOneOutcome(scene.log)).toEqual([]);
        if (scene.state.turn) {
          expect(step(scene)).toBe('request');
          const ours = new Set(calls.filter(({ name }) => name !== 'lookup').map(({ id }) => id));
          expect(results.filter((id) => ours.has(id))).toEqual([...ours]);
        }
        expect(fold(scene.log)).toEqual(scene.state);
        const { payload } = buildPayload(payloadInput(scene.state, { gates: DEFAULT_NORMALIZE_GATES, maxTokens: 100 }), (text) => String(text).slice(0, 8));
        expect(checkRequest(payload, profileFor(payload.model))).toEqual([]);
      }),
      runs(300),
    );
  });

  it('no call starts twice, at any place where the log is cut and another worker continues', () => {
    fc.assert(
      fc.property(
        someCalls,
        fc.array(fc.nat(60), { minLength: 1, maxLength: 20 }),
        fc.array(fc.nat(60), { minLength: 1, maxLength: 20 }),
        (calls, before, after) => {
          const first = calling(...calls);
          const begin = first.appends.length - 1;
          playOn(first, before);
          for (const cut of first.appends.slice(begin)) {
            const other = new Scene();
            for (const event of first.log.slice(0, cut)) {
              other.log.push(event);
              evolve(other.state, event);
            }
            // The other worker knows nothing of what runs: it closes it.
            const step = nextStep(other.state, 't1');
            if (step.kind === 'close-lost-calls') for (const id of step.toolUseIds) other.when(outcome(id, 'unknown'));
            playOn(other, after);
            const started = other.log.flatMap((event) => (event.type === 'tool.started' ? [event.data.toolUseId] : []));
            expect(new Set(started).size).toBe(started.length);
            expect(resultsOf(other).toSorted()).toEqual(calls.map(({ id }) => id).toSorted());
            expect(callsWithoutOneOutcome(other.log)).toEqual([]);
          }
        },
      ),
      runs(60),
    );
  });
});
