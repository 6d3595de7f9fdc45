import type { Schedule } from '@verbatim/client';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { visible } from '../../text/plain.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Badge, Button, ErrorNote, Sure } from '../../ui/parts.tsx';
import { ScheduleForm } from './schedule-form.tsx';
import { timeIn, timesInWords } from './schedule-words.ts';

/** Prompts of a conversation that are submitted by time. */
export function SchedulesDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const client = useClient();
  const action = useAction();
  const { data, error, reload } = useLoad((signal) => client.listSchedules({ id }, { signal }), [client, id]);
  const act = (task: () => Promise<unknown>): void => void action.run(task).then(reload);
  return (
    <Dialog title="Schedules" onClose={onClose}>
      <p className="aside">Each prompt is yours, with your rights and quotas, as if you had sent it. A schedule that you change is yours from then on.</p>
      <ErrorNote error={action.error ?? error} onRetry={reload} />
      {data?.data.length === 0 && <p className="aside">Nothing is scheduled.</p>}
      <ul className="entries" aria-label="Schedules of this conversation">
        {data?.data.map((schedule) => (
          <Line
            key={schedule.id}
            schedule={schedule}
            isBusy={action.isBusy}
            onPause={(paused) => act(() => client.updateSchedule({ id, scheduleId: schedule.id, body: { paused } }))}
            onDelete={() => act(() => client.deleteSchedule({ id, scheduleId: schedule.id }))}
          />
        ))}
      </ul>
      <section className="new-schedule" aria-label="A new schedule">
        <h3>New schedule</h3>
        <ScheduleForm id={id} onCreated={reload} />
      </section>
    </Dialog>
  );
}

interface LineProps {
  readonly schedule: Schedule;
  readonly isBusy: boolean;
  readonly onPause: (paused: boolean) => void;
  readonly onDelete: () => void;
}

function Line({ schedule, isBusy, onPause, onDelete }: LineProps) {
  const { input, paused, nextRunAt, lastRun } = schedule;
  const about = visible(input.length > 60 ? `${input.slice(0, 60).trimEnd()}…` : input);
  return (
    <li>
      <span className="grow">
        <bdi>{about}</bdi> {paused && <Badge>paused</Badge>}
        <span className="aside schedule-times">
          <span title={schedule.cron ?? undefined}>{timesInWords(schedule)}</span>
          {nextRunAt !== null && `; next ${timeIn(schedule, nextRunAt)}`}
          {lastRun !== null && `; last ${timeIn(schedule, lastRun.dueAt)}: ${lastRun.outcome}`}
          {lastRun?.error && ` (${lastRun.error.message})`}
        </span>
      </span>
      <Button look="quiet" disabled={isBusy} onClick={() => onPause(!paused)} aria-label={`${paused ? 'Resume' : 'Pause'} ${about}`}>
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <Sure label="Delete" about={about} onSure={onDelete} />
    </li>
  );
}
