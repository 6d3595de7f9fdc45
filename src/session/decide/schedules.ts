import { DomainError } from '../../../packages/protocol/errors.js';
import type { NewEvent, ScheduleOutcome } from '../../../packages/protocol/events/events.js';
import type { ScheduleCommand, ScheduleRecord, ScheduleRun } from '../state/schedules.js';
import type { SessionState } from '../state/state.js';

type CommandOf<T extends ScheduleCommand['type']> = Extract<ScheduleCommand, { type: T }>;

export function decideSchedule(command: CommandOf<'SetSchedule'>, state: SessionState): readonly NewEvent[] {
  const { scheduleId, of, definition, groups, nextRunAt, limit } = command;
  if (of === null) {
    if (state.schedules.size >= limit) {
      throw new DomainError('limit_reached', `The session already has ${state.schedules.size} schedules, which is the limit; delete one first.`);
    }
  } else {
    const known = requireSchedule(state, scheduleId);
    if (known.seq !== of) throw overtaken(state);
    if (known.definition.paused && !definition.paused) requireRoomToRun(state, limit);
  }
  return [{ type: 'schedule.set', data: { scheduleId, ...definition, groups, nextRunAt } }];
}

/** An import may have brought more schedules than the limit, all paused. */
function requireRoomToRun({ schedules }: SessionState, limit: number): void {
  const count = [...schedules.values()].filter(({ definition }) => !definition.paused).length;
  if (count >= limit)
    throw new DomainError('limit_reached', `The session already has ${count} schedules that are not paused, which is the limit; pause one first.`);
}

export function decideDeletion(scheduleId: string, state: SessionState): readonly NewEvent[] {
  requireSchedule(state, scheduleId);
  return [{ type: 'schedule.deleted', data: { scheduleId } }];
}

/** A run and its prompt are one append: there is never one without the other. Rejected with `version_conflict` when the schedule is not due at that time any more. */
export function runWithPrompt(run: ScheduleRun, events: readonly NewEvent[], state: SessionState): readonly NewEvent[] {
  if (!isDue(run, state)) throw overtaken(state);
  const submitted = events.find((event) => event.type === 'prompt.submitted');
  if (!submitted) throw new Error('a run was to submit a prompt, and did not');
  const { disposition, submission } = submitted.data;
  // First, so that the last event of the append is that of the prompt.
  return [ran(run, disposition, { promptId: submission.promptId }), ...events];
}

export function decideRun({ run, outcome, error, pauseAfter }: CommandOf<'RecordScheduleRun'>, state: SessionState): readonly NewEvent[] {
  const schedule = isDue(run, state);
  if (!schedule) return [];
  const isLast = outcome === 'failed' && schedule.failures + 1 >= pauseAfter;
  return [ran(isLast ? { ...run, nextRunAt: null } : run, outcome, error ? { error } : {})];
}

function ran(
  { scheduleId, dueAt, nextRunAt }: Omit<ScheduleRun, 'nextRunAt'> & { readonly nextRunAt: string | null },
  outcome: ScheduleOutcome,
  facts: Pick<Extract<NewEvent, { type: 'schedule.ran' }>['data'], 'promptId' | 'error'>,
): NewEvent {
  return { type: 'schedule.ran', data: { scheduleId, dueAt, outcome, ...facts, nextRunAt } };
}

function isDue({ scheduleId, dueAt }: ScheduleRun, state: SessionState): ScheduleRecord | null {
  const schedule = state.schedules.get(scheduleId);
  return schedule?.nextRunAt === dueAt ? schedule : null;
}

function requireSchedule(state: SessionState, scheduleId: string): ScheduleRecord {
  const schedule = state.schedules.get(scheduleId);
  if (!schedule) throw new DomainError('schedule_not_found', 'The session has no schedule with this id.');
  return schedule;
}

function overtaken({ version }: SessionState): DomainError {
  return new DomainError('version_conflict', 'The schedule was changed or run meanwhile; read it again and repeat the request.', [], { version });
}
