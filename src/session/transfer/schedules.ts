import type { NewEvent, ScheduleDefinition, ScheduleTiming } from '../../../packages/protocol/events/events.js';
import { isObject, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import type { ScheduleRecord } from '../state/schedules.js';
import { textIn, uuidIn } from './shape.js';

/** More than this a session cannot have; further lines are skipped. */
export const MOST_SCHEDULES = 100;

const EXPRESSION = /^[0-9A-Za-z*,/ -]{9,200}$/;
const TIME_ZONE = /^[A-Za-z0-9_+/-]{1,100}$/;

/** A schedule as a line of an export, without its runs. */
export function scheduleLine({ scheduleId: id, definition: { timing, input, isMeta, whenBusy, paused } }: ScheduleRecord): object {
  const times = timing.kind === 'cron' ? { cron: timing.expression, timeZone: timing.timeZone } : { everySeconds: timing.seconds };
  return { type: 'schedule', id, input, ...times, whenBusy, paused, ...(isMeta ? { isMeta } : {}) };
}

export const isScheduleLine = (value: unknown): value is UnknownObject => isObject(value) && value['type'] === 'schedule';

/** The event of an imported schedule, which is paused: a file starts nothing. Null: the line is no schedule. `fresh`: its id when it has none. */
export function importedSchedule(value: UnknownObject, fresh: string): NewEvent | null {
  const timing = timingIn(value);
  const input = textIn(value['input']);
  if (timing === null || input === null) return null;
  const definition: ScheduleDefinition = {
    timing,
    input,
    ...(value['isMeta'] === true ? { isMeta: true } : {}),
    whenBusy: value['whenBusy'] === 'queue' ? 'queue' : 'skip',
    paused: true,
  };
  return { type: 'schedule.set', data: { scheduleId: uuidIn(value['id']) ?? fresh, ...definition, groups: [], nextRunAt: null } };
}

function timingIn({ cron, timeZone = 'UTC', everySeconds }: UnknownObject): ScheduleTiming | null {
  if (typeof cron === 'string') {
    return EXPRESSION.test(cron) && typeof timeZone === 'string' && TIME_ZONE.test(timeZone) ? { kind: 'cron', expression: cron, timeZone } : null;
  }
  return Number.isSafeInteger(everySeconds) && (everySeconds as number) > 0 ? { kind: 'interval', seconds: everySeconds as number } : null;
}
