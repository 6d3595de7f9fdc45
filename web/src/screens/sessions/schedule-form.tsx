import type { Schedule } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { ErrorNote } from '../../ui/parts.tsx';
import { DAYS, type Kind, kindOf } from './schedule-words.ts';

const ZONES = Intl.supportedValuesOf('timeZone');
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const KINDS = {
  daily: 'every day',
  weekdays: 'on weekdays',
  weekly: 'every week',
  interval: 'at an interval',
  cron: 'by a cron expression',
} as const satisfies Record<Kind, string>;

/** The cron expression of what was chosen. `time`: `09:30`. */
function cronOf(kind: Exclude<Kind, 'interval'>, { time, day, cron }: { readonly time: string; readonly day: string; readonly cron: string }): string {
  if (kind === 'cron') return cron.trim();
  const [hour, minute] = time.split(':').map(Number);
  return `${minute} ${hour} * * ${{ daily: '*', weekdays: '1-5', weekly: day }[kind]}`;
}

interface Props {
  /** Of the conversation. */
  readonly id: string;
  /** The schedule that is changed; absent: a new one. */
  readonly schedule?: Schedule;
  /** Of the form, for the button that submits it. */
  readonly form: string;
  readonly onDone: () => void;
}

/** A schedule of a conversation. */
export function ScheduleForm({ id, schedule, form, onDone }: Props) {
  const client = useClient();
  const action = useAction();
  const before = kindOf(schedule ?? { cron: '0 9 * * 1-5', everySeconds: null });
  const [input, setInput] = useState(schedule?.input ?? '');
  const [kind, setKind] = useState<Kind>(before.kind);
  const [time, setTime] = useState(before.time);
  const [day, setDay] = useState(before.day);
  const [cron, setCron] = useState(schedule?.cron ?? '0 9 * * 1-5');
  const [timeZone, setTimeZone] = useState(schedule?.timeZone ?? ZONE);
  const [minutes, setMinutes] = useState(before.minutes);
  const [queues, setQueues] = useState(schedule?.whenBusy === 'queue');
  const submit = async (): Promise<void> => {
    const times =
      kind === 'interval' ? { everySeconds: Number(minutes) * 60 } : { cron: cronOf(kind, { time, day, cron }), timeZone: timeZone.trim() || 'UTC' };
    const body = { input, ...times, whenBusy: queues ? ('queue' as const) : ('skip' as const) };
    const save = (): Promise<unknown> =>
      schedule === undefined ? client.createSchedule({ id, body }) : client.updateSchedule({ id, scheduleId: schedule.id, body });
    if (await action.run(save)) onDone();
  };
  return (
    <form
      id={form}
      className="token-form"
      aria-label={schedule === undefined ? 'New schedule' : 'Schedule'}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label>
        Text of its prompts
        <textarea value={input} required rows={2} onChange={(event) => setInput(event.target.value)} />
      </label>
      <div className="schedule-fields">
        <label>
          When
          <select value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
            {Object.entries(KINDS).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
        {kind === 'weekly' && (
          <label>
            Day
            <select value={day} onChange={(event) => setDay(event.target.value)}>
              {DAYS.map((name, index) => (
                <option key={name} value={index}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {kind !== 'interval' ? (
          <>
            {kind === 'cron' ? (
              <label>
                Cron expression
                <input value={cron} required spellCheck={false} onChange={(event) => setCron(event.target.value)} />
              </label>
            ) : (
              <label>
                Time
                <input type="time" value={time} required onChange={(event) => setTime(event.target.value)} />
              </label>
            )}
            <label>
              Time zone
              <input value={timeZone} list="time-zones" spellCheck={false} onChange={(event) => setTimeZone(event.target.value)} />
            </label>
            <datalist id="time-zones">
              {ZONES.map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </>
        ) : (
          <label>
            Minutes between two runs
            <input type="number" min={1} value={minutes} required onChange={(event) => setMinutes(event.target.value)} />
          </label>
        )}
      </div>
      <label className="check">
        <input type="checkbox" checked={queues} onChange={(event) => setQueues(event.target.checked)} /> Wait for a turn that runs; otherwise that run is
        skipped
      </label>
      <ErrorNote error={action.error} />
    </form>
  );
}
