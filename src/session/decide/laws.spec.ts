import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answer, AT, message, prepare, type Scene, seed, send, session, SETTINGS, submit } from '../../../test/support/given-session.js';
import { callsWithoutOneOutcome } from '../../../test/support/call-outcomes.js';
import { decisions, outcome, startCall, tool, use, verdict } from '../../../test/support/calls.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { Command, UserCommand } from '../state/commands.js';
import { EVENTS, type SessionEvent } from '../../../packages/protocol/events/events.js';
import type { Change } from '../../../packages/protocol/events/define-event.js';
import { skeletonOf } from '../../../packages/protocol/events/skeleton.js';
import type { SessionState } from '../state/state.js';
import { evolve, fold } from '../state/evolve.js';
import { nextStep } from './next-step.js';
import { sessionListRow } from '../state/session-row.js';
import { sessionView } from '../state/session-view.js';
import { sessionProjection } from '../transcript/projection.js';
import { readTranscript } from '../transcript/transcript.js';
import { callsThatAre } from '../state/tool-calls.js';
import { branch, path } from '../state/tree.js';
import { DEFAULT_PROMPT_GATES } from '../../../packages/protocol/gates.js';
import { NO_PREFIX } from '../../../packages/normalizer/prefix.js';
import { runs } from '../../../test/support/property-runs.js';

/** Invariants that hold after every command, accepted or rejected. */
function holds(scene: Scene): void {
  const { state, log } = scene;
  expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1));
  expect(fold(log)).toEqual(state);

  const running = [...state.turns.values()].filter((turn) => turn.endedAt === null);
  expect(running.length).toBe(state.turn ? 1 : 0);
  expect(state.queue.length > 0 && !state.turn).toBe(false);

  const accepted = log.flatMap((event) => (event.type === 'prompt.submitted' && event.data.disposition !== 'answered' ? [event.data.submission.promptId] : []));
  const withdrawn = new Set(log.flatMap((event) => (event.type === 'prompt.withdrawn' ? [event.data.promptId] : [])));
  const started = log.flatMap((event) => (event.type === 'turn.started' ? [event.data.promptId] : []));
  const due = accepted.filter((promptId) => !withdrawn.has(promptId));
  expect([...started, ...state.queue.map((waiting) => waiting.promptId)]).toEqual(due);

  const onPath = path(state);
  expect(onPath).toEqual(branch(state, state.head, null)); // which reads every message again
  onPath.forEach((record, index) => expect(record.message.parentUuid).toBe(onPath[index - 1]?.message.uuid ?? null));
  expect(onPath.at(-1)?.message.uuid ?? null).toBe(state.head);

  expect(callsWithoutOneOutcome(log)).toEqual([]);
  keepsItsShape(scene);
}

/** What an erasure leaves of every event folds to the same conversation, turns and queue, without the content. */
function keepsItsShape({ state, log }: Scene): void {
  const left = fold(log.map((event) => ({ ...event, data: skeletonOf(event) ?? event.data }) as SessionEvent));
  const shape = ({ head, status, turn, queue, messages, turns, requests, usage }: SessionState): unknown => ({
    ...{ head, status, turn: turn?.turnId, usage, requests: [...requests.keys()], queue: queue.map(({ promptId }) => promptId) },
    messages: [...messages.values()].map(({ message: { uuid, parentUuid, type }, seq, turnId, depth }) => ({ uuid, parentUuid, type, seq, turnId, depth })),
    turns: [...turns.values()].map((one) => ({ id: one.turnId, status: one.status, messages: one.messages, requests: one.requestIds })),
  });
  expect(shape(left)).toEqual(shape(state));
  expect([...left.messages.values()].filter(({ message }) => message.erased !== true)).toEqual([]);
}

/** The commands of users that are in the list below, sensible ones more often than others. The compiler asks for each of the others. */
type Listed =
  | 'SubmitPrompt'
  | 'WithdrawPrompt'
  | 'Interrupt'
  | 'PostToolResults'
  | 'Rewind'
  | 'Restore'
  | 'CloseSession'
  | 'ReopenSession'
  | 'PlaceHold'
  | 'ReleaseHold'
  | 'EraseContent';

/** From this choice on it is one of the other commands. */
const OTHERS = 50;

/** The other commands of users, each of which may come at any time. */
function others({ state }: Scene, n: number): readonly Command[] {
  const known = [...state.messages.keys()];
  const byType: { readonly [T in Exclude<UserCommand['type'], Listed>]: Extract<UserCommand, { type: T }> } = {
    CreateSession: { type: 'CreateSession', settings: SETTINGS },
    ConfigureSession: { type: 'ConfigureSession', changes: n % 2 === 1 ? { title: `title ${n}` } : { archived: n % 3 === 0, model: `model ${n}` } },
    SetTitle: { type: 'SetTitle', title: `made ${n}`, model: 'claude-test', usage: { input_tokens: 1, output_tokens: 1 } },
    GrantRole: { type: 'GrantRole', principal: `user:u${n % 3}`, role: 'viewer', limit: 2 },
    RevokeGrant: { type: 'RevokeGrant', principal: `user:u${n % 3}`, by: 'u1' },
    BreakGlass: { type: 'BreakGlass', until: AT, reason: 'a reason' },
    RecordAccess: { type: 'RecordAccess', reader: `u${n % 3}`, via: 'grant', hour: AT },
    DecideTool: {
      ...{
        type: 'DecideTool',
        toolUseId: (state.turn ? callsThatAre('awaiting_decision', state.turn) : [])[0]?.toolUseId ?? 'none',
        feedback: null,
        updatedInput: null,
      },
      ...{ decision: (['allow', 'reject', 'cancel'] as const)[n % 3]!, by: 'u1', at: AT, seed: seed(n), gates: DEFAULT_PROMPT_GATES },
    },
    SetSchedule: {
      ...{
        type: 'SetSchedule',
        scheduleId: `schedule${n % 4}`,
        of: [...state.schedules.values()].find(({ scheduleId }) => scheduleId === `schedule${n % 4}`)?.seq ?? null,
      },
      definition: { timing: { kind: 'interval', seconds: 60 }, input: `text ${n}`, whenBusy: 'skip', paused: n % 3 === 0 },
      ...{ groups: [], nextRunAt: n % 3 === 0 ? null : AT, limit: 3 },
    },
    DeleteSchedule: { type: 'DeleteSchedule', scheduleId: `schedule${n % 4}` },
    RecordScheduleRun: {
      type: 'RecordScheduleRun',
      run: { scheduleId: `schedule${n % 4}`, dueAt: AT, nextRunAt: n % 2 === 0 ? AT : '2030-01-01T00:00:00.000Z' },
      ...{ outcome: (['skipped', 'missed', 'failed'] as const)[n % 3]!, error: n % 3 === 2 ? { code: 'forbidden', message: 'no' } : null, pauseAfter: 2 },
    },
    RecordHookRuns: { type: 'RecordHookRuns', runs: [] },
    RestoreBranch: { type: 'RestoreBranch', tip: known[n % Math.max(known.length, 1)] ?? 'nowhere' },
    RecordFeedback: {
      type: 'RecordFeedback',
      feedback: { feedbackId: `f${n}`, requestId: [...state.requests.keys()].at(-1) ?? 'none', rating: n, comment: null },
    },
    AppendLines: {
      type: 'AppendLines',
      lines: {
        ...{ lines: ['{"type":"mode"}'], uuids: [null], batch: null, messages: [], head: null, summary: n % 2 === 0 ? null : { n } },
      },
      ...(n % 3 === 0 ? {} : { moveTo: n % 4 === 0 ? null : (known[n % Math.max(known.length, 1)] ?? null) }),
      messages: [],
      settings: { model: 'claude-test', permissionMode: 'default' },
    },
    RecordGatewayRequest: {
      type: 'RecordGatewayRequest',
      after: n % 4 === 0 ? null : (known[n % Math.max(known.length, 1)] ?? null),
      messages: n % 3 === 0 ? [] : [{ type: 'user', uuid: `client${n}`, timestamp: AT, content: 'hello' }],
      request: gatewayRequest(n),
      rewindId: `rwc${n}`,
    },
    RecordGatewayAnswer: {
      ...{ type: 'RecordGatewayAnswer', requestId: [...state.requests.keys()].at(-1) ?? 'none', after: known.at(-1) ?? null, at: AT },
      ...{ uuid: seed(20_000 + n), rewindId: `rwa${n}`, providerRequestId: null, durationMs: 1 },
      answer: n % 3 === 0 ? null : message([{ type: 'text', text: 'answer' }], n % 2 === 0 ? null : 'end_turn'),
      failure: n % 2 === 0 ? { code: 'stream_cut', message: 'cut' } : null,
    },
  };
  return Object.values(byType);
}

const gatewayRequest = (n: number): Extract<UserCommand, { type: 'RecordGatewayRequest' }>['request'] => ({
  ...{ requestId: `client-request${n}`, turnId: `client-turn${n}`, ordinal: 1, model: 'claude-test', profile: 'unknown/anthropic', gates: {} },
  ...{ normalizer: 'none', maxTokens: 1, digest: '', bytes: 0, prefix: { ...NO_PREFIX, shared: 0 }, origin: { kind: 'gateway', client: null } },
  body: {
    ...{ base: null, conversation: { keep: 0, added: [] }, messages: { keep: 0, added: [] }, options: '', markers: null },
    ...{ trace: { from: 0, notes: [] }, exact: ['{}'] },
  },
});

/** Commands of users and workers, on time and late, sensible or not. */
function commandsOf(scene: Scene, n: number) {
  const { state } = scene;
  const turnNumber = Number(state.turn?.turnId.slice(1) ?? n);
  const late = n % 5 === 0 ? turnNumber - 1 : turnNumber;
  const requestId = state.turn?.requestIds.at(-1) ?? 'r0';
  const known = [...state.messages.keys()];
  const target = known[n % Math.max(known.length, 1)] ?? 'nowhere';
  const rewinds = [...state.rewinds.keys()];
  const callIds = (status: 'pending' | 'ready' | 'running'): readonly string[] =>
    state.turn ? callsThatAre(status, state.turn).map(({ toolUseId }) => toolUseId) : [];
  const inTurn = (given: Command): Command => ({ ...given, turnId: `t${late}` }) as Command;
  return {
    submit: submit(n, undefined, n % 7 === 0 ? 'interrupt' : 'enqueue'),
    withdraw: { type: 'WithdrawPrompt', promptId: `p${n - (n % 3)}` },
    interrupt: { type: 'Interrupt', reason: null, at: AT, seed: seed(n), gates: DEFAULT_PROMPT_GATES },
    interruptAll: { type: 'Interrupt', reason: null, withdrawsQueued: true, at: AT, seed: seed(n), gates: DEFAULT_PROMPT_GATES },
    prepare: prepare(late, n % 9 !== 0),
    addContext: inTurn({
      type: 'AddContext',
      turnId: '',
      messages: [{ type: 'attachment', uuid: `standing${n}`, timestamp: AT, attachment: { type: 'note' }, standing: 'note' }],
    }),
    send: send(scene, late, `r${n}`),
    answer: { ...answer(late, undefined, 'end_turn', requestId), uuid: seed(10_000 + n) } as Command,
    call: {
      ...answer(late, [{ type: 'tool_use', id: `call${n}`, name: 'lookup', input: {} }], 'tool_use', requestId),
      uuid: seed(10_000 + n),
    } as Command,
    post: {
      type: 'PostToolResults',
      at: AT,
      results: (state.turn ? callsThatAre('awaiting_client', state.turn) : [])
        .slice(0, 1)
        .map(({ toolUseId }) => ({ toolUseId, content: 'ok', isError: false, uuid: `res${n}` })),
    },
    finishInterrupt: {
      type: 'FinishInterrupt',
      turnId: `t${late}`,
      partial: message([{ type: 'text', text: 'half' }], null),
      durationMs: 0,
      at: AT,
      seed: seed(n),
      gates: DEFAULT_PROMPT_GATES,
    },
    fail: {
      type: 'RecordRequestFailure',
      turnId: `t${late}`,
      requestId,
      error: { code: 'overloaded_error', message: 'busy' },
      durationMs: 0,
      retryAt: n % 2 === 0 ? AT : null,
      rejected: [],
      partial: null,
      at: AT,
      seed: seed(n),
    },
    rewind: { type: 'Rewind', rewindId: `rw${n}`, target: n % 2 === 0 ? { before: target } : { after: target }, reason: null },
    restore: { type: 'Restore', rewindId: rewinds[n % Math.max(rewinds.length, 1)] ?? 'none' },
    close: { type: 'CloseSession', reason: null },
    reopen: { type: 'ReopenSession' },
    offer: { type: 'OfferTools', turnId: `t${late}`, tools: [tool('Bash')] },
    use: { ...answer(late, [use(`bash${n}`), use(`also${n}`)], 'tool_use', requestId), uuid: seed(10_000 + n) } as Command,
    decide: inTurn(decisions(...callIds('pending').map((id) => verdict(id, n % 3 === 0 ? 'deny' : 'allow')))),
    start: inTurn(startCall(callIds('ready')[0] ?? 'none')),
    end: inTurn(outcome(callIds('running')[0] ?? 'none', n % 2 === 0 ? 'finished' : 'unknown')),
    hold: { type: n % 2 === 0 ? 'PlaceHold' : 'ReleaseHold', reason: null },
    erase: {
      type: 'EraseContent',
      helpers: [],
      step: {
        erasureId: `e${n}`,
        scope: n % 3 === 0 ? 'session' : 'message',
        messages: [target],
        reason: null,
        events: [],
        bytes: 0,
        blobs: 0,
        isComplete: true,
      },
      files: [],
    },
  } satisfies Readonly<Record<string, Command>>;
}

type Name = keyof ReturnType<typeof commandsOf>;
const NAMES = Object.keys(commandsOf(session(), 1)) as readonly Name[];
const numberOf = (name: Name): number => NAMES.indexOf(name);

/** A command chosen by number: one of the names, or a step of a worker, or one of the other commands. */
function command(scene: Scene, choice: number, n: number): Command {
  if (choice < OTHERS) return commandsOf(scene, n)[NAMES[choice] ?? 'submit'];
  const rest = others(scene, n);
  return rest[(choice - OTHERS) % rest.length]!;
}

/** What readers see of a session, as text: the state continues. */
function seen(state: SessionState): Readonly<Record<Exclude<Change, 'list'>, string>> {
  const { version: _, updatedAt: __, ...view } = sessionView('s1', state);
  const { turn } = state;
  return {
    messages: JSON.stringify(readTranscript(state)),
    state: JSON.stringify([
      view,
      turn && [
        turn.turnId,
        turn.status,
        [...turn.calls.values()].map(({ toolUseId, decision, startedAt, outcome }) => [toolUseId, decision, startedAt, outcome]),
      ],
    ]),
  };
}

/** Events that change more than their type says. `unchanged`: the types that say that they change the state, until one of their events does. */
function unannounced(log: readonly SessionEvent[], unchanged: Map<string, boolean>): readonly string[] {
  const state = fold([]);
  return log.flatMap((event) => {
    const said = EVENTS[event.type].changes;
    const row = sessionListRow(state, 'u1', []);
    const list = JSON.stringify(sessionListRow(state, 'u1', [event])) !== JSON.stringify(row) || sessionProjection('s1', state, [event]) !== null;
    const before = seen(state);
    const after = seen(evolve(state, event));
    const changed: Readonly<Record<Change, boolean>> = { list, messages: after.messages !== before.messages, state: after.state !== before.state };
    if (said.includes('state')) unchanged.set(event.type, !changed.state && unchanged.get(event.type) !== false);
    return (Object.keys(changed) as Change[]).filter((what) => changed[what] && !said.includes(what)).map((what) => `${event.type} changes ${what}`);
  });
}

/** Follows the steps a worker would take more often than chance would, so that turns get somewhere. */
function choose(scene: Scene, choice: number): number {
  if (choice < NAMES.length || choice >= OTHERS || !scene.state.turn) return choice;
  const step = nextStep(scene.state, scene.state.turn.turnId);
  const usual: Partial<Record<typeof step.kind, Name>> = {
    prepare: 'prepare',
    request: 'send',
    'abandon-request': choice % 2 === 0 ? 'answer' : 'call',
    'finish-interrupt': 'finishInterrupt',
    nothing: 'post',
    'decide-calls': 'decide',
    'run-calls': 'start',
    'close-lost-calls': 'end',
  };
  // Some sessions have tools of the server from their first turn on.
  if (step.kind === 'request' && scene.state.serverTools.length === 0 && choice % 2 === 0) return numberOf('offer');
  if (scene.state.serverTools.length > 0 && step.kind === 'abandon-request' && choice % 3 > 0) return numberOf('use');
  const name = usual[step.kind];
  return name === undefined ? choice : numberOf(name);
}

/** A step of a worker: the tools of the server are offered, and called. */
const STEP = 28;
const EVERY_OTHER = others(session(), 0).map((_, index) => OTHERS + index);

describe('any sequence of commands', () => {
  it('keeps one turn at a time, the order of acceptance, every prompt, one path, a log that folds to the state, and events that change only what their type says, the state when it says so', () => {
    const [send, rewind, restore] = (['send', 'rewind', 'restore'] as const).map(numberOf) as [number, number, number];
    // An erasure of what is not there changes nothing.
    const unchanged = new Map<string, boolean>([['content.erased', false]]);
    fc.assert(
      fc.property(fc.array(fc.nat(OTHERS + EVERY_OTHER.length), { minLength: 20, maxLength: 50, size: 'max' }), (choices) => {
        const scene = session();
        choices.forEach((choice, index) => {
          const { state } = scene;
          const next = command(scene, choose(scene, choice), index + 1);
          const before = sessionListRow(state, 'u1', []);
          try {
            const events = scene.when(next);
            // The list row is computed from the events alone, before the state has seen them.
            expect(before.userId).toBe('u1');
            const row = sessionListRow(fold(scene.log.slice(0, scene.log.length - events.length)), 'u1', events);
            expect(row).toEqual({
              userId: 'u1',
              title: state.settings.title,
              model: state.settings.model,
              status: state.status,
              queueLength: state.queue.length,
              turnId: state.turn?.turnId ?? null,
            });
          } catch (error) {
            if (!(error instanceof DomainError)) throw error;
          }
          holds(scene);
        });
        expect(unannounced(scene.log, unchanged)).toEqual([]);
      }),
      // The first example sends a request while a call runs; the second one sends each of the other commands, before and in a turn; the third one rewinds after a turn, and restores it.
      {
        ...runs(50),
        examples: [
          [[0, 0, STEP, 0, 0, STEP, 0, 0, 0, 0, send, STEP, STEP, 0, 0, STEP, 0, 0, 0, 0, send, STEP + 2, 0, 0, 0, 0]],
          [[...EVERY_OTHER, 0, STEP, STEP, STEP, ...EVERY_OTHER]],
          [[0, ...Array.from({ length: 12 }, () => STEP), rewind, restore, rewind, rewind, restore, restore, rewind, restore]],
        ],
      },
    );
    expect([...unchanged].flatMap(([type, isUnchanged]) => (isUnchanged ? [`${type} changes no state`] : []))).toEqual([]);
  });
});
