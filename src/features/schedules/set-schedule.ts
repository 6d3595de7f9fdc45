import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Inject } from '@nestjs/common';
import type { Principal } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { ScheduleDefinition, ScheduleTiming } from '../../../packages/protocol/events/events.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { Clock, Schedules, Sessions } from '../../ports/index.js';
import type { CommandContext, CommandResult } from '../../engine/commands/context.js';
import { defineCommand } from '../../engine/commands/define-command.js';
import { eventOf, type Executed, Executor } from '../../engine/commands/execute.js';
import { acceptSubmission } from '../../session/prompt/accept.js';
import { requireAccess } from '../../session/state/access.js';
import type { ScheduleCommand, ScheduleRecord } from '../../session/state/schedules.js';
import type { SessionState } from '../../session/state/state.js';
import { type ScheduleView, scheduleView } from '../../session/state/schedule-view.js';
import { nextRun, requireTiming } from './next-run.js';

/** What a user gives of a schedule; absent members of a new one have their defaults, others stay. */
export interface ScheduleInput {
  readonly timing?: ScheduleTiming;
  readonly input?: string;
  readonly isMeta?: boolean;
  readonly whenBusy?: 'skip' | 'queue';
  readonly paused?: boolean;
  /** RFC 3339, from `SCHEDULE_LATEST_MS` ago to ten years ahead; a time that has passed is due at once. */
  readonly firstRunAt?: string;
}

export interface ScheduleAnswer {
  readonly schedule: ScheduleView;
}

/** Creates a schedule (`scheduleId` null), or changes one. Its prompts are those of the user who does it. */
export class SetScheduleCommand extends defineCommand<{ scheduleId: string | null; given: ScheduleInput }, ScheduleAnswer>({ action: 'session.prompt' }) {}

/** Deletes a schedule. A prompt that it has submitted stays. */
export class DeleteScheduleCommand extends defineCommand<{ scheduleId: string }, object>({
  action: 'session.prompt',
  rule: ({ scheduleId }) => ({ type: 'DeleteSchedule', scheduleId }),
  answer: () => ({}),
}) {}

/** Changes that may come between reading the schedule and the append before the command is rejected. */
const ATTEMPTS = 5;

/** How far ahead the first run may be: ten years. */
const LATEST_FIRST_MS = 3_653 * 86_400_000;

@CommandHandler(SetScheduleCommand)
export class SetScheduleHandler implements ICommandHandler<SetScheduleCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly sessions: Sessions,
    private readonly schedules: Schedules,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<
      Settings,
      'SCHEDULES_PER_SESSION' | 'SCHEDULE_LEAST_SECONDS' | 'SCHEDULE_LATEST_MS' | 'MAX_PROMPT_CHARACTERS'
    >,
  ) {}

  async execute({ context, scheduleId, given }: SetScheduleCommand): Promise<CommandResult & ScheduleAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return answerOf(await this.#set(context, scheduleId, given));
      } catch (error) {
        const isOvertaken = error instanceof DomainError && error.code === 'version_conflict' && context.expectedVersion === null;
        if (!isOvertaken || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #set(context: CommandContext, scheduleId: string | null, given: ScheduleInput): Promise<Executed> {
    const { principal, sessionId } = context;
    const state = await this.sessions.load(principal.tenantId, sessionId);
    requireAccess(state, principal);
    let command: ScheduleCommand;
    try {
      command = await this.#command(state, principal, scheduleId, given);
    } catch (error) {
      // A repeat has the result of the first request, also when the schedule was run, changed or deleted since, or its time has passed.
      const earlier = await this.executor.replay(context);
      if (earlier) return earlier;
      throw error;
    }
    return this.executor.execute(context, command);
  }

  async #command(state: SessionState, principal: Principal, scheduleId: string | null, given: ScheduleInput): Promise<ScheduleCommand> {
    const known = scheduleId === null ? null : (state.schedules.get(scheduleId) ?? null);
    if (scheduleId !== null && !known) throw new DomainError('schedule_not_found', 'The session has no schedule with this id.');
    const definition = this.#definition(known, given);
    return {
      type: 'SetSchedule',
      scheduleId: scheduleId ?? this.clock.uuid(),
      of: known?.seq ?? null,
      definition,
      groups: principal.groups.filter((group) => state.grants.has(`group:${group}`)),
      nextRunAt: definition.paused ? null : await this.#next(known, definition, given),
      limit: this.settings.SCHEDULES_PER_SESSION,
    };
  }

  #definition(known: ScheduleRecord | null, { timing, input, isMeta, whenBusy, paused }: ScheduleInput): ScheduleDefinition {
    const before = known?.definition;
    const when = timing ?? before?.timing;
    const text = input ?? before?.input;
    if (when === undefined || text === undefined) throw new Error('a new schedule has a timing and an input');
    // As a prompt is validated that a client submits.
    acceptSubmission({ input: text, mode: 'prompt' }, { promptId: '', turnId: '', uuid: '' }, { maxCharacters: this.settings.MAX_PROMPT_CHARACTERS });
    return {
      timing: when,
      input: text,
      ...((isMeta ?? before?.isMeta) ? { isMeta: true } : {}),
      whenBusy: whenBusy ?? before?.whenBusy ?? 'skip',
      paused: paused ?? before?.paused ?? false,
    };
  }

  /** A change of the text alone leaves the time as it is. */
  async #next(known: ScheduleRecord | null, { timing }: ScheduleDefinition, given: ScheduleInput): Promise<string> {
    const isKept = known?.nextRunAt && given.timing === undefined && given.firstRunAt === undefined;
    if (isKept) return known.nextRunAt;
    const now = Date.parse(await this.schedules.now());
    requireTiming(timing, this.settings.SCHEDULE_LEAST_SECONDS, now);
    const lastRun = known?.lastRun ? Date.parse(known.lastRun.data.dueAt) : -Infinity;
    if (given.firstRunAt !== undefined)
      return firstRun(given.firstRunAt, { lastRun, earliest: now - this.settings.SCHEDULE_LATEST_MS, latest: now + LATEST_FIRST_MS });
    return new Date(nextRun(timing, null, Math.max(now, lastRun))).toISOString();
  }
}

/** Milliseconds since the epoch. No run has the time of an earlier one, `lastRun`: the time is what names it. One before `earliest` would be missed. */
interface FirstRunBounds {
  readonly lastRun: number;
  readonly earliest: number;
  readonly latest: number;
}

function firstRun(given: string, { lastRun, earliest, latest }: FirstRunBounds): string {
  const time = Date.parse(given);
  if (!(time >= earliest && time <= latest)) {
    const text = `must be from ${new Date(earliest).toISOString()} to ${new Date(latest).toISOString()}`;
    throw new DomainError('invalid_input', 'The schedule cannot be due first at this time.', [{ pointer: '/firstRunAt', text }]);
  }
  if (time > lastRun) return new Date(time).toISOString();
  throw new DomainError('invalid_input', 'The schedule has had a run at this time or later.', [
    { pointer: '/firstRunAt', text: `must be after ${new Date(lastRun).toISOString()}` },
  ]);
}

function answerOf({ version, replayed, events, state }: Executed): CommandResult & ScheduleAnswer {
  const { scheduleId } = eventOf(events, 'schedule.set');
  const schedule = state.schedules.get(scheduleId);
  if (!schedule) throw new DomainError('schedule_not_found', 'The schedule was deleted meanwhile.');
  return { version, replayed, schedule: scheduleView(schedule) };
}
