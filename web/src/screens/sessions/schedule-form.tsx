import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { Button, ErrorNote } from '../../ui/parts.tsx';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A new schedule of a conversation. */
export function ScheduleForm({ id, onCreated }: { readonly id: string; readonly onCreated: () => void }) {
  const client = useClient();
  const action = useAction();
  const [input, setInput] = useState('');
  const [kind, setKind] = useState<'cron' | 'interval'>('cron');
  const [cron, setCron] = useState('0 9 * * 1-5');
  const [timeZone, setTimeZone] = useState(ZONE);
  const [minutes, setMinutes] = useState('60');
  const [queues, setQueues] = useState(false);
  const create = async (): Promise<void> => {
    const times = kind === 'cron' ? { cron: cron.trim(), timeZone: timeZone.trim() || 'UTC' } : { everySeconds: Number(minutes) * 60 };
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
          <select value={kind} onChange={(event) => setKind(event.target.value as 'cron' | 'interval')}>
            <option value="cron">at times (cron)</option>
            <option value="interval">at an interval</option>
          </select>
        </label>
        {kind === 'cron' ? (
          <>
            <label>
              Cron expression
              <input value={cron} required onChange={(event) => setCron(event.target.value)} />
            </label>
            <label>
              Time zone
              <input value={timeZone} onChange={(event) => setTimeZone(event.target.value)} />
            </label>
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
