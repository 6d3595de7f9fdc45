import type { TypeOf } from '../shape/shape.js';
import { choice, flag, integer, kinds, list, object, text, textLike, time, uuid, yes } from '../shape/shapes.js';
import { event } from './define-event.js';
import { failure } from './facts.js';

const timing = kinds({
  cron: {
    expression: textLike('^[0-9A-Za-z*,/ -]{1,200}$').about('Five fields: minute, hour, day of the month, month, day of the week.'),
    timeZone: textLike('^[A-Za-z0-9_+/-]{1,100}$').about('IANA time zone of the expression.'),
  },
  interval: { seconds: integer },
}).named('ScheduleTiming', 'When a schedule is due.');
/** When a schedule is due. */
export type ScheduleTiming = TypeOf<typeof timing>;

const whenBusy = choice('skip', 'queue').about('What a run does while a turn runs: `skip` submits no prompt, `queue` has it wait.');

const outcome = choice('started', 'queued', 'answered', 'skipped', 'missed', 'failed').about(
  '`skipped`: a turn was running; `missed`: it was due too long ago; `failed`: the prompt was rejected. None of these three submitted a prompt.',
);
export type ScheduleOutcome = TypeOf<typeof outcome>;

const nextRunAt = time.nullable('When it is due next; null: it is paused.');

const definition = {
  timing,
  input: text.about('The text of its prompts.'),
  isMeta: yes.optional('Its prompts are for the model only: the transcript does not show them.'),
  whenBusy,
  paused: flag,
};
/** What a user decides about a schedule. */
export type ScheduleDefinition = TypeOf<ReturnType<typeof object<typeof definition>>>;

/** Events of scheduled prompts. */
export const SCHEDULE_EVENTS = {
  'schedule.set': event({
    about: 'A schedule was created or changed. Its prompts are those of the user who did it.',
    data: {
      scheduleId: uuid,
      ...definition,
      groups: list(text).about('Groups of that user, by which the session may be granted.'),
      nextRunAt,
    },
    quotes: null,
    changes: ['list'],
  }),

  'schedule.deleted': event({
    about: 'A schedule was deleted.',
    data: { scheduleId: uuid },
    quotes: null,
    changes: ['list'],
  }),

  'schedule.ran': event({
    about: 'A schedule was due. The event of the prompt, if there is one, is in the same append.',
    data: {
      scheduleId: uuid,
      dueAt: time,
      outcome,
      promptId: uuid.optional('The prompt that it submitted.'),
      error: failure.optional('Why it failed.'),
      nextRunAt: nextRunAt.about('When it is due next; null: too many runs failed, and it was paused.'),
    },
    quotes: null,
    changes: ['list'],
  }),
};
