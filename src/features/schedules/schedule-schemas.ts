import { z } from 'zod';
import { time, uuid } from '../../http/schemas/json.js';
import { versioned } from '../../http/schemas/session-schemas.js';
import { timeZone } from '../../http/schemas/time-zone.js';

const cron = z.string().min(9).max(200).meta({ description: 'Five fields, as in crontab(5): minute, hour, day of the month, month, day of the week.' });
const everySeconds = z.int().positive().max(31_536_000).meta({ description: 'Between two runs; at least `SCHEDULE_LEAST_SECONDS`.' });
const whenBusy = z
  .enum(['skip', 'queue'])
  .meta({ description: 'What a run does while a turn runs: `skip` submits no prompt, `queue` has it wait for the end of the turn. Default `skip`.' });

const members = {
  input: z.string().meta({ description: 'The text of its prompts; a slash command is run as one.' }),
  cron: cron.optional(),
  timeZone: timeZone.meta({ description: 'IANA time zone of `cron`, such as `Europe/Berlin`. Default UTC.' }),
  everySeconds: everySeconds.optional().meta({ description: 'Instead of `cron`: the seconds between two runs, at least `SCHEDULE_LEAST_SECONDS`.' }),
  firstRunAt: time.optional().meta({
    description:
      'When it is due first, RFC 3339: not longer ago than `SCHEDULE_LATEST_MS`, and within ten years. A time that has passed is due at once. Absent: the next time by `cron`, or after one interval.',
  }),
  isMeta: z.boolean().optional().meta({ description: 'Its prompts are for the model only: the transcript does not show them. Default false.' }),
  whenBusy: whenBusy.optional(),
  paused: z.boolean().optional(),
};

interface Times {
  readonly cron?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly everySeconds?: number | undefined;
  readonly firstRunAt?: string | undefined;
  readonly paused?: boolean | undefined;
}

const EXCLUDES = 'is not for an interval: it belongs to `cron`';

function checkTimes({ cron: given, timeZone: zone, everySeconds: seconds, firstRunAt, paused }: Times, context: z.RefinementCtx): void {
  if (given !== undefined && seconds !== undefined) context.addIssue({ code: 'custom', path: ['everySeconds'], message: 'cannot be together with `cron`' });
  if (zone !== undefined && given === undefined) context.addIssue({ code: 'custom', path: ['timeZone'], message: EXCLUDES });
  if (firstRunAt !== undefined && paused) context.addIssue({ code: 'custom', path: ['firstRunAt'], message: 'is not for a schedule that is paused' });
}

export const newSchedule = z
  .strictObject(members)
  .superRefine((given, context) => {
    checkTimes(given, context);
    if (given.cron === undefined && given.everySeconds === undefined)
      context.addIssue({ code: 'custom', path: ['cron'], message: 'is required, or `everySeconds`' });
  })
  .meta({ id: 'NewSchedule', examples: [{ input: 'What has changed since yesterday?', cron: '0 9 * * 1-5', timeZone: 'Europe/Berlin' }] });

export const scheduleChanges = z
  .strictObject({ ...members, input: members.input.optional() })
  .superRefine(checkTimes)
  .meta({ id: 'ScheduleChanges', examples: [{ paused: true }] });

export const scheduleView = z
  .strictObject({
    id: uuid,
    input: z.string(),
    isMeta: z.boolean(),
    cron: z.string().nullable(),
    timeZone: z.string().nullable(),
    everySeconds: z.int().nullable(),
    whenBusy: z.enum(['skip', 'queue']),
    paused: z.boolean(),
    nextRunAt: time.nullable().meta({ description: 'Null: it is paused.' }),
    lastRun: z
      .strictObject({
        dueAt: time,
        at: time.meta({ description: 'When the run was recorded.' }),
        outcome: z.enum(['started', 'queued', 'answered', 'skipped', 'missed', 'failed']),
        promptId: uuid.nullable(),
        error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
      })
      .nullable()
      .meta({ description: 'Null: it was never due. Earlier ones are events `schedule.ran`.' }),
    by: z.string().meta({ description: 'Id of the user who created or last changed it: its prompts are theirs.' }),
    createdAt: time,
    changedAt: time,
  })
  .meta({ id: 'Schedule' });

export const scheduleAnswer = z.strictObject({ version: z.int(), schedule: scheduleView }).meta({ id: 'ScheduleAnswer' });

export const schedules = versioned(scheduleView).meta({ id: 'Schedules' });

export const scheduleDeleted = z.strictObject({ version: z.int() }).meta({ id: 'ScheduleDeleted' });
