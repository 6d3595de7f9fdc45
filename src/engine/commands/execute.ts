import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type Append, type AppendOutcome, Clock, EventStore, type Job, erasureChannel, LiveBus, Sessions, Telemetry, userChannel } from '../../ports/index.js';
import { SYSTEM_MESSAGE } from '../../../packages/protocol/message/attachment.js';
import { requireAccess } from '../../session/state/access.js';
import type { Command } from '../../session/state/commands.js';
import { correlationOf } from '../../session/state/correlation.js';
import { decide } from '../../session/decide/decide.js';
import { type Actor, type EventData, EVENTS, type EventType, type NewEvent, type SessionEvent } from '../../../packages/protocol/events/events.js';
import { grantsAfter } from '../../session/state/evolve-access.js';
import { applyUncommitted } from '../../session/state/apply-uncommitted.js';
import type { SessionState } from '../../session/state/state.js';
import { sessionListRow } from '../../session/state/session-row.js';
import { stoppedIn } from '../../../packages/protocol/events/stopped.js';
import { type SessionProjection, sessionProjection } from '../../session/transcript/projection.js';
import type { Prices } from '../../../packages/normalizer/models/prices.js';
import { priceTable } from './price-table.js';
import { usageIn } from '../../session/state/usage.js';
import { turnJob } from '../../session/state/turn-jobs.js';
import { Admission } from './admission.js';
import type { CommandContext } from './context.js';
import { TurnDispatch, type TurnSlot } from './turn-dispatch.js';
import { countEvents } from './metrics.js';
import { KeyedMutex } from '../../platform/async/keyed-mutex.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import type { StoredSubmission } from '../../../packages/protocol/message/submission.js';

export interface Executed {
  /** The session's version after the command; on a repeat, that after the first execution. */
  readonly version: number;
  /** The session after the command; unless it is a repeat, shared and mutable: later events may be in it after the next await. */
  readonly state: SessionState;
  /** The events that the command appended; on a repeat, those of the first execution. */
  readonly events: readonly SessionEvent[];
  readonly replayed: boolean;
}

/** Attempts to append before a command that keeps losing the race for the next version fails. */
const ATTEMPTS = 25;

/** Executes a command: load the session, decide, append under the loaded version; retry when another append came first. All changes go through here. */
@Injectable()
export class Executor {
  readonly #mutex = new KeyedMutex();
  readonly #prices: Prices;

  constructor(
    private readonly store: EventStore,
    private readonly sessions: Sessions,
    private readonly live: LiveBus,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    private readonly dispatch: TurnDispatch,
    @Inject(SETTINGS) settings: Pick<Settings, 'MODEL_PRICES'>,
    private readonly admission: Admission,
  ) {
    this.#prices = priceTable(settings);
  }

  /** `next`: a second command, decided on the state after the first, for the same append. Throws a DomainError when a command is rejected. */
  execute(context: CommandContext, command: Command, next: Command | null = null): Promise<Executed> {
    const { sessionId, commandId, principal } = context;
    const attributes = { tenantId: principal.tenantId, sessionId, commandId };
    const execute = (name: string): Promise<Executed> =>
      this.telemetry.span(name, attributes, async (span) => {
        const executed = await this.#mutex.run(sessionId, () => this.#execute(context, command, next));
        span.set({ events: executed.events.length, replayed: executed.replayed });
        return executed;
      });
    return next ? this.telemetry.span(command.type, attributes, () => execute(next.type)) : execute(command.type);
  }

  /**
   * A model that no turn could ask is rejected when it is set. A turn checks the models of its requests itself; a fork has the model of its parent, and a session that begins with the lines of a file the
   * model that its program has asked.
   */
  async #requireModel(principal: AuthorizedCaller, command: Command, next: Command | null): Promise<void> {
    const isNew = command.type === 'CreateSession' && command.fork === undefined && next?.type !== 'AppendLines';
    const model = isNew ? command.settings.model : command.type === 'ConfigureSession' ? command.changes.model : undefined;
    if (model !== undefined) await this.admission.model(principal, model);
  }

  async #execute(context: CommandContext, command: Command, next: Command | null): Promise<Executed> {
    const { principal, sessionId } = context;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      // The first attempt uses the cached state, which may be stale: the append verifies its version. A rejection must be based on the log itself.
      const cached = attempt === 1 ? this.sessions.known(principal.tenantId, sessionId) : null;
      const state = cached ?? (await this.sessions.load(principal.tenantId, sessionId));
      let events: readonly NewEvent[];
      try {
        if (command.type !== 'CreateSession') requireAccess(state, principal);
        else if (!cached) await this.admission.session(principal);
        if (setsRules(command)) requireAccess(state, { ...principal, action: 'session.configure' });
        requireVersion(state, context.expectedVersion);
        if (principal.role !== 'system') await this.#requireModel(principal, command, next);
        events = decide(command, state);
        if (next) events = [...events, ...decide(next, applyUncommitted(state, events))];
      } catch (rejection) {
        if (cached) continue;
        // A repeat may be rejected because of the effects of its own first execution, so the receipt decides.
        const replay = await this.replay(context);
        if (replay) return replay;
        throw rejection;
      }
      // A user's command that has nothing to do leaves a receipt, so that a repeat has the same result; a worker's report does not need one.
      if (events.length === 0 && principal.userId === WORKER_ID) {
        if (cached) continue;
        return { version: state.version, state, events: [], replayed: false };
      }
      const jobs = jobsOf(principal.tenantId, sessionId, state, events);
      const slot = jobs.length === 1 ? this.dispatch.acquire() : null;
      const append = {
        tenantId: principal.tenantId,
        sessionId,
        expectedVersion: state.version,
        commandId: context.commandId,
        requestHash: context.requestHash,
        actor: actorOf(principal),
        events: events.map((event) => ({ ...event, id: this.clock.uuid() })),
        jobs,
        completedJobs: completedJobs(state, events),
        claim: context.claim ?? null,
        dispatch: slot?.terms ?? null,
        summary: sessionListRow(state, principal.userId, events),
        projection: projectionOf(sessionId, state, command, events),
        grants: grantsAfter(state, events),
        usage: await this.admission.counted(principal.tenantId, sessionId, usageIn(state, principal, events, this.#prices)),
        ...(command.type === 'EraseContent' ? { erasedFiles: command.files, orphans: command.helpers } : {}),
      };
      const outcome = await this.#append(append, slot);
      switch (outcome.kind) {
        case 'appended': {
          const known = this.sessions.advance(principal.tenantId, sessionId, outcome.events, outcome.headHash);
          this.#announce(append, userChannel(principal.tenantId, state.ownerId ?? principal.userId), outcome.events);
          if (outcome.claim) slot?.start(jobs[0]!, outcome.claim);
          if (outcome.jobsPending || (jobs.length > 0 && !outcome.claim)) this.live.notify();
          const after = known ?? (await this.sessions.load(principal.tenantId, sessionId));
          countEvents(this.telemetry, after, outcome.events, context.claim?.dispatch ?? 'none');
          return { version: append.expectedVersion + events.length, state: after, events: outcome.events, replayed: false };
        }
        case 'duplicate':
        case 'key_reused': {
          const replay = await this.replay(context);
          if (replay) return replay;
          throw new Error('the store reports the command as executed, but has no receipt of it');
        }
        case 'fenced':
          throw new DomainError('turn_over', 'Another worker has claimed this turn.');
        case 'conflict':
          break;
      }
    }
    throw new DomainError('version_conflict', `The session changed ${ATTEMPTS} times while the command was executed; retry.`);
  }

  /** Gives `slot` back unless the append has handed a turn over. */
  async #append(append: Append, slot: TurnSlot | null): Promise<AppendOutcome> {
    try {
      const outcome = await this.store.append(append);
      if (outcome.kind !== 'appended' || !outcome.claim) slot?.release();
      return outcome;
    } catch (error) {
      slot?.releaseUnclear(append.jobs[0]!);
      throw error;
    }
  }

  /** The result of the command's first execution, from its receipt; null when it was not executed before. */
  async replay(context: CommandContext): Promise<Executed | null> {
    const { principal, sessionId } = context;
    const receipt = await this.store.receipt(principal.tenantId, context.commandId, context.requestHash);
    if (!receipt) return null;
    if (!receipt.sameRequest || receipt.sessionId !== sessionId) {
      throw new DomainError('idempotency_mismatch', 'This idempotency key has been used for another request; use a new key for each request.');
    }
    const events = await this.store.load(principal.tenantId, sessionId, receipt.firstSeq - 1, receipt.lastSeq);
    const state = await this.sessions.loadAt(principal.tenantId, sessionId, receipt.lastSeq);
    return { version: receipt.lastSeq, state, events, replayed: true };
  }

  #announce({ tenantId, sessionId }: Pick<Append, 'tenantId' | 'sessionId'>, owner: string, events: readonly SessionEvent[]): void {
    const last = events.at(-1);
    if (last) this.live.publish({ kind: 'advanced', sessionId, seq: last.seq, stopped: stoppedIn(events), events });
    if (events.some(({ type }) => EVENTS[type].changes.includes('list'))) this.live.publish({ kind: 'advanced', sessionId: owner, seq: 0 });
    if (events.some(({ type }) => type === 'content.erased')) this.live.publish({ kind: 'advanced', sessionId: erasureChannel(tenantId, sessionId), seq: 0 });
    const changed = queueChange(events);
    if (changed) this.live.publish({ kind: 'delta', sessionId, type: 'queue.changed', data: { promptId: changed.data.promptId, change: changed.type } });
  }
}

/** A fork begins with the conversation that it shares. */
function projectionOf(sessionId: string, state: SessionState, command: Command, events: readonly NewEvent[]): SessionProjection | null {
  const projection = sessionProjection(sessionId, state, events);
  return projection && command.type === 'CreateSession' && command.fork ? { ...projection, ...command.fork.opening } : projection;
}

/** The worker is the actor `system`. No user can have this id: user ids are uuids. */
export const WORKER_ID = 'worker';

function actorOf(principal: AuthorizedCaller): Actor {
  return principal.userId === WORKER_ID ? { kind: 'system', id: WORKER_ID } : { kind: 'user', id: principal.userId };
}

/** The data of the first event of that type; a command that did not append one is a bug. */
export function eventOf<T extends EventType>(events: readonly SessionEvent[], type: T): EventData[T] {
  const found = events.find((event) => event.type === type);
  if (!found) throw new Error(`the command appended no ${type}`);
  return found.data as EventData[T];
}

/** What the model is told with the authority of the operator needs the right of the system prompt. */
const setsRules = (command: Command): boolean =>
  command.type === 'SubmitPrompt' && (command.submission.attachments ?? []).some(({ type }) => type === SYSTEM_MESSAGE);

export function requireVersion(state: SessionState, expected: number | null): void {
  if (expected === null || expected === state.version) return;
  throw new DomainError(
    'version_conflict',
    `The session is at version ${state.version}, not ${expected}; read it again and repeat the request with its version.`,
    [],
    {
      version: state.version,
    },
  );
}

/** The last event that changed the queue. A prompt that starts when it is submitted was never queued. */
function queueChange(
  events: readonly SessionEvent[],
): Extract<SessionEvent, { data: { promptId: string }; type: `${'prompt' | 'turn'}.${string}` }> | undefined {
  const isSubmission = events.some((event) => event.type === 'prompt.submitted');
  return events.findLast(
    (event) => event.type === 'prompt.queued' || event.type === 'prompt.withdrawn' || (event.type === 'turn.started' && !isSubmission),
  ) as ReturnType<typeof queueChange>;
}

/** A job for each segment of a turn: from its start, and from each resumption after waiting. */
function jobsOf(tenantId: string, sessionId: string, state: SessionState, events: readonly NewEvent[]): readonly Job[] {
  return events.flatMap((event, index) => {
    if (event.type !== 'turn.started' && event.type !== 'turn.resumed') return [];
    const { turnId } = event.data;
    const id = turnJob(turnId, event.type === 'turn.started' ? 0 : state.version + index + 1);
    const promptId = event.type === 'turn.started' ? event.data.promptId : state.turns.get(turnId)?.promptId;
    const submission = submissionOf(state, events, promptId);
    return [{ queue: 'turns' as const, id, payload: { tenantId, sessionId, turnId, ...(submission ? correlationOf(submission) : {}) } }];
  });
}

/** The jobs of turns that end or wait with these events. */
function completedJobs(state: SessionState, events: readonly NewEvent[]): readonly string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case 'turn.completed':
      case 'turn.interrupted':
      case 'turn.failed':
      case 'turn.waiting':
        return [turnJob(event.data.turnId, state.turns.get(event.data.turnId)?.segment ?? 0)];
      default:
        return [];
    }
  });
}

/** The prompt may be submitted by the same events that start its turn. */
function submissionOf(state: SessionState, events: readonly NewEvent[], promptId = ''): StoredSubmission | undefined {
  const submitted = events.find((event) => event.type === 'prompt.submitted' && event.data.submission.promptId === promptId);
  return submitted?.type === 'prompt.submitted' ? submitted.data.submission : state.prompts.get(promptId)?.submission;
}
