import type { EventData } from '../../../packages/protocol/events/events.js';
import type { ScheduleRecord } from './schedules.js';

type Ran = EventData['schedule.ran'];

/** A schedule as the API returns it. */
export interface ScheduleView {
  readonly id: string;
  readonly input: string;
  readonly isMeta: boolean;
  /** Null: it has an interval. */
  readonly cron: string | null;
  readonly timeZone: string | null;
  /** Null: it has a cron expression. */
  readonly everySeconds: number | null;
  readonly whenBusy: 'skip' | 'queue';
  readonly paused: boolean;
  readonly nextRunAt: string | null;
  readonly lastRun: {
    readonly dueAt: string;
    readonly at: string;
    readonly outcome: Ran['outcome'];
    readonly promptId: string | null;
    readonly error: { readonly code: string; readonly message: string } | null;
  } | null;
  readonly by: string;
  readonly createdAt: string;
  readonly changedAt: string;
}

export function scheduleView({ scheduleId: id, definition, nextRunAt, lastRun, by, createdAt, changedAt }: ScheduleRecord): ScheduleView {
  const { timing, input, isMeta = false, whenBusy, paused } = definition;
  return {
    id,
    input,
    isMeta,
    cron: timing.kind === 'cron' ? timing.expression : null,
    timeZone: timing.kind === 'cron' ? timing.timeZone : null,
    everySeconds: timing.kind === 'interval' ? timing.seconds : null,
    whenBusy,
    paused,
    nextRunAt,
    lastRun: lastRun && runView(lastRun),
    by,
    createdAt,
    changedAt,
  };
}

function runView({ at, data: { dueAt, outcome, promptId, error } }: NonNullable<ScheduleRecord['lastRun']>): NonNullable<ScheduleView['lastRun']> {
  return { dueAt, at, outcome, promptId: promptId ?? null, error: error ? { code: error.code, message: error.message } : null };
}
