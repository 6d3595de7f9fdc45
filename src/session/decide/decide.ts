import { requestedCompaction } from '../compaction/requested.js';
import { NOTHING_TO_COMPACT } from './decide-compaction.js';
import { planCompaction } from '../compaction/plan.js';
import { DomainError, unreachable } from '../../../packages/protocol/errors.js';
import { rejectionText, routeIn } from '../prompt/route.js';
import { SYSTEM_MESSAGE } from '../../../packages/protocol/message/attachment.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import { isBlank } from '../../../packages/protocol/message/unknown-json.js';
import { decideTool, decideToolResults } from './answer-calls.js';
import type { Command, CommandAnswer, UserCommand } from '../state/commands.js';
import { decideTurn } from './decide-turn.js';
import { decideErasure } from './erasure.js';
import { finishInterrupt } from './end-turn.js';
import type { NewEvent } from '../../../packages/protocol/events/events.js';
import { recordGatewayAnswer, recordGatewayRequest } from './gateway.js';
import { appendLines } from './lines.js';
import { decideAccess, decideGrant, decideRevocation } from './people.js';
import { replacement, requireReplaceable } from './replace-prompt.js';
import { decideRestore, decideRestoreBranch, decideRewind } from './rewind.js';
import { decideDeletion, decideRun, decideSchedule, runWithPrompt } from './schedules.js';
import type { SessionState } from '../state/state.js';
import { type Submission, toStored } from '../../../packages/protocol/message/submission.js';

/**
 * The events that `command` produces in `state`; empty when there is nothing to do. Throws a DomainError when the command is rejected. Pure: ids and times are part
 * of the command.
 */
export function decide(command: Command, state: SessionState): readonly NewEvent[] {
  if (command.type === 'CreateSession') {
    if (state.version > 0) throw new DomainError('invalid_input', 'A session with this id already exists.');
    return created(command);
  }
  if (state.version === 0) throw new DomainError('session_not_found', 'There is no such session.');
  if (state.erased && isOfUser(command) && ADDS_CONTENT[command.type])
    throw new DomainError('session_erased', 'The content of this session was erased; create another session.');
  switch (command.type) {
    case 'PrepareTurn':
    case 'StartShell':
    case 'RecordWorkspace':
    case 'AddContext':
    case 'SendRequest':
    case 'RecordAnswer':
    case 'RecordRequestFailure':
    case 'RecordSummary':
    case 'RecordCompactionHooks':
    case 'CompleteNothingToCompact':
    case 'FinishInterrupt':
    case 'FailTurn':
    case 'OfferTools':
    case 'RecordDecisions':
    case 'StartCall':
    case 'RecordOutcome':
    case 'WaitForCalls':
    case 'ExpireCalls':
    case 'ResumeForHelper':
    case 'FinishTurn':
      return decideTurn(command, state);
    case 'ConfigureSession':
      return Object.keys(command.changes).length === 0 ? [] : [{ type: 'session.configured', data: { changes: command.changes } }];
    case 'SetTitle': {
      const { title, model, usage } = command;
      return state.settings.title !== null || state.titleChosen || state.erased ? [] : [{ type: 'session.titled', data: { title, model, usage } }];
    }
    case 'CloseSession':
      if (state.status === 'closed') return [];
      requireIdle(state);
      return [{ type: 'session.closed', data: { reason: command.reason } }];
    case 'ReopenSession':
      if (state.status !== 'closed') throw new DomainError('session_not_closed', 'The session is not closed.');
      return [{ type: 'session.reopened', data: {} }];
    case 'EraseContent':
      return decideErasure(command.step, state);
    case 'PlaceHold':
      return state.hold ? [] : [{ type: 'hold.placed', data: { reason: command.reason } }];
    case 'ReleaseHold':
      return state.hold ? [{ type: 'hold.released', data: { reason: command.reason } }] : [];
    case 'GrantRole':
      return decideGrant(command, state);
    case 'RevokeGrant':
      return decideRevocation(command, state);
    case 'BreakGlass':
      return [{ type: 'glass.broken', data: { until: command.until, reason: command.reason } }];
    case 'RecordAccess':
      return decideAccess(command, state);
    case 'SubmitPrompt':
      return command.run ? runWithPrompt(command.run, submitPrompt(command, state), state) : submitPrompt(command, state);
    case 'SetSchedule':
      return decideSchedule(command, state);
    case 'DeleteSchedule':
      return decideDeletion(command.scheduleId, state);
    case 'RecordScheduleRun':
      return decideRun(command, state);
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
      requireIdle(state);
      return decideRewind(command, state);
    case 'Restore':
      requireIdle(state);
      return decideRestore(command, state);
    case 'RestoreBranch':
      requireIdle(state);
      return decideRestoreBranch(command, state);
    case 'RecordFeedback':
      if (!state.requests.has(command.feedback.requestId)) throw new DomainError('request_not_found', 'There is no request with this id in the session.');
      return [{ type: 'feedback.recorded', data: command.feedback }];
    case 'AppendLines':
      return appendLines(command, state);
    case 'RecordGatewayRequest':
      return recordGatewayRequest(command, state);
    case 'RecordGatewayAnswer':
      return recordGatewayAnswer(command, state);
    default:
      return unreachable(command);
  }
}

/** Whether an erased session rejects the command of a user, because it adds content or reopens it. Others find nothing to act on; it has no turn that could report. */
const ADDS_CONTENT: Readonly<Record<UserCommand['type'], boolean>> = {
  CreateSession: false,
  ConfigureSession: true,
  SetTitle: false,
  CloseSession: false,
  ReopenSession: true,
  SubmitPrompt: true,
  SetSchedule: true,
  DeleteSchedule: false,
  RecordScheduleRun: false,
  EraseContent: false,
  PlaceHold: false,
  ReleaseHold: false,
  GrantRole: true,
  RevokeGrant: false,
  BreakGlass: true,
  RecordAccess: false,
  WithdrawPrompt: false,
  Interrupt: false,
  PostToolResults: false,
  DecideTool: false,
  RecordHookRuns: true,
  Rewind: true,
  Restore: true,
  RestoreBranch: true,
  RecordFeedback: true,
  AppendLines: true,
  RecordGatewayRequest: true,
  RecordGatewayAnswer: true,
};

const isOfUser = (command: Command): command is UserCommand => Object.hasOwn(ADDS_CONTENT, command.type);

function created({ settings, fork, parent }: Extract<UserCommand, { type: 'CreateSession' }>): readonly NewEvent[] {
  if (!fork) return [{ type: 'session.created', data: { settings, ...(parent ? { parent } : {}) } }];
  const { from: forkedFrom, serverTools: tools } = fork;
  const { sessionId: from, at, seq } = forkedFrom;
  return [
    { type: 'session.created', data: { settings, forkedFrom } },
    { type: 'session.forked', data: { from, at, seq } },
    ...(tools.length === 0 ? [] : [{ type: 'session.tools_changed' as const, data: { tools } }]),
  ];
}

/** One turn at a time: the append with `turn.started` is the reservation, so of two concurrent submissions one is queued. */
function submitPrompt(command: Extract<UserCommand, { type: 'SubmitPrompt' }>, state: SessionState): readonly NewEvent[] {
  const { submission, whenBusy, maxQueued } = command;
  requireOpen(state);
  const running = state.turn ? state.prompts.get(state.turn.promptId)?.submission.uuid : null;
  if (state.messages.has(submission.uuid) || running === submission.uuid || state.queue.some((waiting) => waiting.uuid === submission.uuid)) {
    throw new DomainError('message_exists', 'The session already has a message with this uuid; omit `uuid` or send a new one.', [
      { pointer: '/uuid', text: 'is already used' },
    ]);
  }
  rejectUnfit(submission);
  const route = routeIn(submission);
  if (command.replaces) {
    requireIdle(state);
    requireReplaceable(submission, command.replaces, state);
  }
  switch (route.kind) {
    case 'bash':
      if (command.hasShell) break;
      throw new DomainError('tool_unavailable', 'Bash mode is not available: the Bash tool is not enabled on this server.', [
        { pointer: '/mode', text: 'is bash' },
      ]);
    case 'exit':
      requireIdle(state);
      return [
        answered(submission, { type: 'text', level: 'notice', text: 'The session is closed. Reopen it to continue.' }),
        { type: 'session.closed', data: { reason: 'exit' } },
      ];
    case 'rejected':
      return [answered(submission, { type: 'text', level: 'error', text: rejectionText(route) })];
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
      ...(command.replaces ? replacement(submission, command.replaces, state) : []),
      { type: 'prompt.submitted', data: { submission: toStored(submission), disposition: 'started' } },
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
    { type: 'prompt.submitted', data: { submission: toStored(submission), disposition: 'queued' } },
    { type: 'prompt.queued', data: { promptId: submission.promptId, position: state.queue.length + 1, reason: 'turn_running' } },
  ];
  if (whenBusy !== 'interrupt' || state.turn.interruptRequested) return queued;
  const { turnId } = state.turn;
  const requested: NewEvent[] = [...queued, { type: 'turn.interrupt_requested', data: { turnId, reason: 'a new prompt' } }];
  // A waiting turn has no worker: resume it, so that one handles the interrupt.
  return state.status === 'waiting' ? [...requested, { type: 'turn.resumed', data: { turnId } }] : requested;
}

/** Attachments that grant permissions are made by the server only; a client could otherwise grant them to itself. A system message has a text. */
function rejectUnfit({ attachments = [] }: Submission): void {
  const reserved = attachments.findIndex(({ type }) => type === 'command_permissions');
  if (reserved !== -1) {
    throw new DomainError('invalid_input', 'Attachments of type command_permissions are reserved for the server; omit it.', [
      { pointer: `/attachments/${reserved}/type`, text: 'is reserved' },
    ]);
  }
  const empty = attachments.findIndex(({ type, content }) => type === SYSTEM_MESSAGE && isBlank(content));
  if (empty === -1) return;
  throw new DomainError('invalid_input', 'A system message needs a text.', [
    { pointer: `/attachments/${empty}/content`, text: 'must be a text that is not blank' },
  ]);
}

function answeredCommand(submission: Submission, answer: CommandAnswer | undefined): readonly NewEvent[] {
  if (!answer) throw new Error('a command that needs no turn came without its answer');
  const { display, changes } = answer;
  return [answered(submission, display), ...(changes ? [{ type: 'session.configured' as const, data: { changes } }] : [])];
}

/** Answered without a turn: for the client to display, never sent to the model. */
function answered(submission: Submission, display: Json): NewEvent {
  return { type: 'prompt.submitted', data: { submission: toStored(submission), disposition: 'answered', display } };
}

function withdrawPrompt(promptId: string, state: SessionState): readonly NewEvent[] {
  const prompt = state.prompts.get(promptId);
  if (!prompt || prompt.status === 'answered') throw new DomainError('prompt_not_found', 'There is no prompt with this id in the session.');
  if (prompt.status === 'withdrawn') return [];
  if (prompt.status === 'started')
    throw new DomainError('prompt_already_started', 'The prompt has started and can no longer be withdrawn; interrupt its turn instead.');
  return [{ type: 'prompt.withdrawn', data: { promptId } }];
}

function interrupt(command: Extract<UserCommand, { type: 'Interrupt' }>, state: SessionState): readonly NewEvent[] {
  const taken = command.withdrawsQueued === true ? state.queue : [];
  const withdrawn = taken.map(({ promptId }): NewEvent => ({ type: 'prompt.withdrawn', data: { promptId } }));
  if (!state.turn || state.turn.interruptRequested) return withdrawn;
  if (command.turnId !== undefined && command.turnId !== state.turn.turnId) return withdrawn;
  const requested: NewEvent = { type: 'turn.interrupt_requested', data: { turnId: state.turn.turnId, reason: command.reason } };
  if (state.status !== 'waiting') return [...withdrawn, requested];
  // A waiting turn has no worker, so the interrupt is completed here.
  const left = { ...state, queue: state.queue.slice(taken.length) };
  return [
    ...withdrawn,
    requested,
    ...finishInterrupt(left, state.turn, { partial: null, at: command.at, seed: command.seed, durationMs: 0, gates: command.gates }),
  ];
}

/** A typed `/compact` is answered like other commands; the route POST compact is rejected. */
function nothingToCompact(submission: Submission): readonly NewEvent[] {
  if (submission.mode === 'compact') throw new DomainError('nothing_to_compact', NOTHING_TO_COMPACT);
  return [answered(submission, { type: 'text', level: 'error', text: NOTHING_TO_COMPACT })];
}

function requireIdle(state: SessionState): void {
  if (state.turn) throw busy();
}

function requireOpen(state: SessionState): void {
  if (state.status === 'closed') throw new DomainError('session_closed', 'The session is closed; reopen it first.');
}

function busy(): DomainError {
  return new DomainError('session_busy', 'A turn is running in this session; wait for its end or interrupt it.');
}
