import { requestedCompaction } from '../compaction/requested.js';
import { NOTHING_TO_COMPACT } from './decide-compaction.js';
import { planCompaction } from '../compaction/plan.js';
import { DomainError, unreachable } from '../errors.js';
import { refusalText, routeIn } from '../prompt/route.js';
import type { Json } from '../message/content.js';
import { decideTool, decideToolResults } from './answer-calls.js';
import type { Command, CommandAnswer, UserCommand } from '../session/commands.js';
import { decideTurn } from './decide-turn.js';
import { finishInterrupt } from './end-turn.js';
import type { NewEvent } from '../session/events.js';
import { decideRestore, decideRewind } from './rewind.js';
import type { SessionState } from '../session/state.js';
import type { Submission } from '../message/submission.js';

/**
 * What follows from `command` in `state`: the events to append, or none when there is nothing to do. Throws a DomainError when it cannot be done.
 * Pure: ids and times come with the command.
 */
export function decide(command: Command, state: SessionState): readonly NewEvent[] {
  if (command.type === 'CreateSession') {
    if (state.version > 0) throw new DomainError('invalid_input', 'A session with this id exists already.');
    return created(command);
  }
  if (state.version === 0) throw new DomainError('session_not_found', 'There is no such session.');
  switch (command.type) {
    case 'PrepareTurn':
    case 'StartShell':
    case 'SendRequest':
    case 'RecordAnswer':
    case 'RecordRequestFailure':
    case 'RecordSummary':
    case 'RecordCompactionHooks':
    case 'SettleNothingToCompact':
    case 'FinishInterrupt':
    case 'FailTurn':
    case 'OfferTools':
    case 'RecordDecisions':
    case 'StartCall':
    case 'RecordOutcome':
    case 'WaitForCalls':
    case 'ExpireCalls':
    case 'FinishTurn':
      return decideTurn(command, state);
    case 'ConfigureSession':
      return Object.keys(command.changes).length === 0 ? [] : [{ type: 'session.configured', data: { changes: command.changes } }];
    case 'CloseSession':
      if (state.status === 'closed') return [];
      refuseWhileBusy(state);
      return [{ type: 'session.closed', data: { reason: command.reason } }];
    case 'ReopenSession':
      if (state.status !== 'closed') throw new DomainError('session_not_closed', 'The session is not closed, so there is nothing to reopen.');
      return [{ type: 'session.reopened', data: {} }];
    case 'SubmitPrompt':
      return submitPrompt(command, state);
    case 'WithdrawPrompt':
      return withdrawPrompt(command.promptId, state);
    case 'Interrupt':
      return interrupt(command, state);
    case 'PostToolResults':
      return decideToolResults(command, state);
    case 'DecideTool':
      return decideTool(command, state);
    case 'RecordHookRuns':
      return command.runs.map((run) => ({ type: 'hook.completed', data: { ...run, turnId: null } }));
    case 'Rewind':
      refuseWhileBusy(state);
      return decideRewind(command, state);
    case 'Restore':
      refuseWhileBusy(state);
      return decideRestore(command, state);
    case 'RecordFeedback':
      if (!state.requests.has(command.feedback.requestId)) throw new DomainError('request_not_found', 'There is no such request in this session.');
      return [{ type: 'feedback.recorded', data: command.feedback }];
    default:
      return unreachable(command);
  }
}

function created({ settings, fork }: Extract<UserCommand, { type: 'CreateSession' }>): readonly NewEvent[] {
  if (!fork) return [{ type: 'session.created', data: { settings } }];
  const { from: forkedFrom, serverTools: tools } = fork;
  const { sessionId: from, at, seq } = forkedFrom;
  return [
    { type: 'session.created', data: { settings, forkedFrom } },
    { type: 'session.forked', data: { from, at, seq } },
    ...(tools.length === 0 ? [] : [{ type: 'session.tools_changed' as const, data: { tools } }]),
  ];
}

/** One turn at a time: the append that carries `turn.started` is the reservation, so of two submissions at the same instant one waits. */
function submitPrompt(command: Extract<UserCommand, { type: 'SubmitPrompt' }>, state: SessionState): readonly NewEvent[] {
  const { submission, whenBusy, maxQueued } = command;
  refuseWhenClosed(state);
  const running = state.turn ? state.prompts.get(state.turn.promptId)?.submission.uuid : null;
  if (state.messages.has(submission.uuid) || running === submission.uuid || state.queue.some((waiting) => waiting.uuid === submission.uuid)) {
    throw new DomainError('message_exists', 'The session already holds a message with this uuid; leave `uuid` out or choose a fresh one.', [
      { pointer: '/uuid', text: 'is taken' },
    ]);
  }
  refuseReserved(submission);
  const route = routeIn(submission);
  switch (route.kind) {
    case 'bash':
      if (command.hasShell) break;
      throw new DomainError('tool_unavailable', 'The Bash tool is not switched on on this server, so bash mode is not available.', [
        { pointer: '/mode', text: 'asks for bash' },
      ]);
    case 'exit':
      refuseWhileBusy(state);
      return [
        answered(submission, { type: 'text', level: 'notice', text: 'The session is closed. Reopen it to go on.' }),
        { type: 'session.closed', data: { reason: 'exit' } },
      ];
    case 'refused':
      return [answered(submission, { type: 'text', level: 'error', text: refusalText(route) })];
    case 'command':
      if (route.command === 'client') return answeredCommand(submission, command.answer);
      if (!state.turn && command.compaction && requestedCompaction(submission) && planCompaction(state, command.compaction) === null)
        return nothingToCompact(submission);
      break;
    case 'prompt':
      break;
    default:
      return unreachable(route);
  }
  if (!state.turn) {
    return [
      { type: 'prompt.submitted', data: { submission, disposition: 'started' } },
      { type: 'turn.started', data: { turnId: submission.turnId, promptId: submission.promptId } },
    ];
  }
  if (whenBusy === 'reject') throw busy();
  if (state.queue.length >= maxQueued) {
    throw new DomainError(
      'limit_reached',
      `The session already has ${state.queue.length} prompts waiting, which is the limit; withdraw one or try again later.`,
    );
  }
  const queued: NewEvent[] = [
    { type: 'prompt.submitted', data: { submission, disposition: 'queued' } },
    { type: 'prompt.queued', data: { promptId: submission.promptId, position: state.queue.length + 1, reason: 'turn_running' } },
  ];
  if (whenBusy !== 'interrupt' || state.turn.interruptRequested) return queued;
  const { turnId } = state.turn;
  const requested: NewEvent[] = [...queued, { type: 'turn.interrupt_requested', data: { turnId, reason: 'a new prompt' } }];
  // Nobody works on a turn that waits for somebody: it goes on, for a worker to settle it.
  return state.status === 'waiting' ? [...requested, { type: 'turn.resumed', data: { turnId } }] : requested;
}

/** Permissions come of commands alone: a client that could attach them would grant them to itself. */
function refuseReserved({ attachments = [] }: Submission): void {
  const at = attachments.findIndex(({ type }) => type === 'command_permissions');
  if (at === -1) return;
  throw new DomainError('invalid_input', 'Attachments of the type command_permissions are made by the server only; leave it out.', [
    { pointer: `/attachments/${at}/type`, text: 'is not for clients' },
  ]);
}

function answeredCommand(submission: Submission, answer: CommandAnswer | undefined): readonly NewEvent[] {
  if (!answer) throw new Error('a command that needs no turn came without its answer');
  const { display, changes } = answer;
  return [answered(submission, display), ...(changes ? [{ type: 'session.configured' as const, data: { changes } }] : [])];
}

/** Settled without a turn: the answer is for the client to show, the model never hears of it. */
function answered(submission: Submission, display: Json): NewEvent {
  return { type: 'prompt.submitted', data: { submission, disposition: 'answered', display } };
}

function withdrawPrompt(promptId: string, state: SessionState): readonly NewEvent[] {
  const prompt = state.prompts.get(promptId);
  if (!prompt || prompt.status === 'answered') throw new DomainError('prompt_not_found', 'There is no such prompt in this session.');
  if (prompt.status === 'withdrawn') return [];
  if (prompt.status === 'started')
    throw new DomainError('prompt_already_started', 'The prompt has started, so it cannot be withdrawn; interrupt its turn instead.');
  return [{ type: 'prompt.withdrawn', data: { promptId } }];
}

function interrupt(command: Extract<UserCommand, { type: 'Interrupt' }>, state: SessionState): readonly NewEvent[] {
  if (!state.turn || state.turn.interruptRequested) return [];
  const requested: NewEvent = { type: 'turn.interrupt_requested', data: { turnId: state.turn.turnId, reason: command.reason } };
  if (state.status !== 'waiting') return [requested];
  // Nobody works on a turn that waits for the client, so it is settled here and now.
  return [requested, ...finishInterrupt(state, state.turn, { partial: null, at: command.at, seed: command.seed, durationMs: 0, gates: command.gates })];
}

/** Typed as a command it has an answer like other commands. */
function nothingToCompact(submission: Submission): readonly NewEvent[] {
  if (submission.mode === 'compact') throw new DomainError('nothing_to_compact', NOTHING_TO_COMPACT);
  return [answered(submission, { type: 'text', level: 'error', text: NOTHING_TO_COMPACT })];
}

function refuseWhileBusy(state: SessionState): void {
  if (state.turn) throw busy();
}

function refuseWhenClosed(state: SessionState): void {
  if (state.status === 'closed') throw new DomainError('session_closed', 'The session is closed; reopen it first.');
}

function busy(): DomainError {
  return new DomainError('session_busy', 'A turn is running in this session; wait for its end or interrupt it.');
}
