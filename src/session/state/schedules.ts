import type { EventData, Failure, ScheduleDefinition, SessionEvent } from '../../../packages/protocol/events/events.js';
import type { SessionState } from './state.js';

/** A schedule of prompts. */
export interface ScheduleRecord {
  readonly scheduleId: string;
  readonly definition: ScheduleDefinition;
  /** Id of the user who made or last changed it: its prompts are theirs. */
  readonly by: string;
  /** Groups of that user when they did. */
  readonly groups: readonly string[];
  readonly createdAt: string;
  readonly changedAt: string;
  /** Seq of the last event about it. */
  readonly seq: number;
  /** RFC 3339; null: it is paused. */
  readonly nextRunAt: string | null;
  /** The last time that it was due; null: it was never due. */
  readonly lastRun: { readonly at: string; readonly data: EventData['schedule.ran'] } | null;
  /** How many of its last runs failed in a row. */
  readonly failures: number;
}

/** A time at which a schedule is due. */
export interface ScheduleRun {
  readonly scheduleId: string;
  readonly dueAt: string;
  /** When it is due after this run, RFC 3339. */
  readonly nextRunAt: string;
}

export type ScheduleCommand =
  /** Creates (`of` null) or changes a schedule. `of`: seq of the last event about the schedule that the change is made from. `limit`: the most schedules of a session. */
  | {
      readonly type: 'SetSchedule';
      readonly scheduleId: string;
      readonly of: number | null;
      readonly definition: ScheduleDefinition;
      readonly groups: readonly string[];
      readonly nextRunAt: string | null;
      readonly limit: number;
    }
  | { readonly type: 'DeleteSchedule'; readonly scheduleId: string }
  /** A run that submitted no prompt. `pauseAfter`: it is paused after so many failed runs in a row. Without effect when the schedule is not due at `run.dueAt` any more. */
  | {
      readonly type: 'RecordScheduleRun';
      readonly run: ScheduleRun;
      readonly outcome: 'skipped' | 'missed' | 'failed';
      readonly error: Failure | null;
      readonly pauseAfter: number;
    };

type Of<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>;

export function setSchedule(state: SessionState, { data, time, seq, actor }: Of<'schedule.set'>): void {
  const { scheduleId, groups, nextRunAt, ...definition } = data;
  const known = state.schedules.get(scheduleId);
  state.schedules.set(scheduleId, {
    scheduleId,
    definition,
    by: actor.id,
    groups,
    createdAt: known?.createdAt ?? time,
    changedAt: time,
    seq,
    nextRunAt,
    lastRun: known?.lastRun ?? null,
    failures: 0,
  });
}

/** A run without a next one has paused the schedule. */
export function runSchedule(state: SessionState, { data, time, seq }: Of<'schedule.ran'>): void {
  const known = state.schedules.get(data.scheduleId);
  if (!known) return;
  state.schedules.set(data.scheduleId, {
    ...known,
    definition: data.nextRunAt === null ? { ...known.definition, paused: true } : known.definition,
    seq,
    nextRunAt: data.nextRunAt,
    lastRun: { at: time, data },
    failures: data.outcome === 'failed' ? known.failures + 1 : 0,
  });
}
