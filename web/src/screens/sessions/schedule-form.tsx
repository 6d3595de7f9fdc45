import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { Button, ErrorNote } from '../../ui/parts.tsx';
import { DAYS } from './schedule-words.ts';

const ZONES = Intl.supportedValuesOf('timeZone');
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const KINDS = {
  daily: 'every day',
  weekdays: 'on weekdays',
  weekly: 'every week',
  interval: 'at an interval',
  cron: 'by a cron expression',
} as const;
type Kind = keyof typeof KINDS;

/** The cron expression of what was chosen. `time`: `09:30`. */
function cronOf(kind: Exclude<Kind, 'interval'>, { time, day, cron }: { readonly time: string; readonly day: string; readonly cron: string }): string {
  if (kind === 'cron') return cron.trim();
  const [hour, minute] = time.split(':').map(Number);
  return `${minute} ${hour} * * ${{ daily: '*', weekdays: '1-5', weekly: day }[kind]}`;
}

/** A new schedule of a conversation. */
export function ScheduleForm({ id, onCreated }: { readonly id: string; readonly onCreated: () => void }) {
  const client = useClient();
  const action = useAction();
  const [input, setInput] = useState('');
  const [kind, setKind] = useState<Kind>('weekdays');
  const [time, setTime] = useState('09:00');
  const [day, setDay] = useState('1');
  const [cron, setCron] = useState('0 9 * * 1-5');
  const [timeZone, setTimeZone] = useState(ZONE);
  const [minutes, setMinutes] = useState('60');
  const [queues, setQueues] = useState(false);
  const create = async (): Promise<void> => {
    const times =
      kind === 'interval' ? { everySeconds: Number(minutes) * 60 } : { cron: cronOf(kind, { time, day, cron }), timeZone: timeZone.trim() || 'UTC' };
    const body = { input, ...times, whenBusy: queues ? ('queue' as const) : ('skip' as const) };
    if (!(await action.run(() => client.createSchedule({ id, body })))) return;
    setInput('');
    onCreated();
  };
  return (
    <form
      className="token-form"
      aria-label="New schedule"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
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
      <div className="form-foot">
        <label className="check grow">
          <input type="checkbox" checked={queues} onChange={(event) => setQueues(event.target.checked)} /> wait for a turn that runs; otherwise that run is
          skipped
        </label>
        <Button type="submit" look="primary" disabled={action.isBusy || input.trim() === ''}>
          Schedule
        </Button>
      </div>
      <ErrorNote error={action.error} />
    </form>
  );
}
