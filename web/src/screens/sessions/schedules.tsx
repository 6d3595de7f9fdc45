import type { Schedule } from '@verbatim/client';
import { useId, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { visible } from '../../text/plain.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Badge, Button, ErrorNote, Sure } from '../../ui/parts.tsx';
import { ScheduleForm } from './schedule-form.tsx';
import { timeIn, timesInWords } from './schedule-words.ts';

/** What the dialog shows: the schedules, or the form of one. */
type Step = { readonly is: 'list' } | { readonly is: 'form'; readonly schedule?: Schedule };

/** Prompts of a conversation that are submitted by time. */
export function SchedulesDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const client = useClient();
  const action = useAction();
  const [step, setStep] = useState<Step>({ is: 'list' });
  const form = useId();
  const { data, error, reload } = useLoad((signal) => client.listSchedules({ id }, { signal }), [client, id]);
  const act = (task: () => Promise<unknown>): void => void action.run(task).then(reload);
  const back = (): void => setStep({ is: 'list' });
  if (step.is === 'form') {
    return (
      <Dialog
        key="form"
        title={step.schedule === undefined ? 'New schedule' : 'Edit the schedule'}
        onClose={onClose}
        footer={
          <>
            <Button onClick={back}>Cancel</Button>
            <Button type="submit" form={form} look="primary">
              {step.schedule === undefined ? 'Schedule' : 'Save'}
            </Button>
          </>
        }
      >
        <ScheduleForm
          id={id}
          form={form}
          {...(step.schedule === undefined ? {} : { schedule: step.schedule })}
          onDone={() => {
            reload();
            back();
          }}
        />
      </Dialog>
    );
  }
  return (
    <Dialog
      key="list"
      title="Schedules"
      onClose={onClose}
      footer={
        <>
          <Button onClick={() => setStep({ is: 'form' })}>New schedule</Button>
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <p className="aside">Each prompt is yours, with your rights and quotas, as if you had sent it. A schedule that you change is yours from then on.</p>
      <ErrorNote error={action.error ?? error} onRetry={reload} />
      {data?.data.length === 0 && <p className="aside">Nothing is scheduled.</p>}
      <ul className="entries schedules" aria-label="Schedules of this conversation">
        {data?.data.map((schedule) => (
          <Line
            key={schedule.id}
            schedule={schedule}
            isBusy={action.isBusy}
            onEdit={() => setStep({ is: 'form', schedule })}
            onPause={(paused) => act(() => client.updateSchedule({ id, scheduleId: schedule.id, body: { paused } }))}
            onDelete={() => act(() => client.deleteSchedule({ id, scheduleId: schedule.id }))}
          />
        ))}
      </ul>
    </Dialog>
  );
}

/** Characters of a prompt that are shown, to the end of a word. */
const LONG = 120;

interface LineProps {
  readonly schedule: Schedule;
  readonly isBusy: boolean;
  readonly onEdit: () => void;
  readonly onPause: (paused: boolean) => void;
  readonly onDelete: () => void;
}

function Line({ schedule, isBusy, onEdit, onPause, onDelete }: LineProps) {
  const { input, paused, nextRunAt, lastRun } = schedule;
  const about = visible(input.length > LONG ? `${input.slice(0, LONG).replace(/[\s,;:.]+\S*$/, '')}…` : input);
  return (
    <li>
      <span className="grow">
        <bdi>{about}</bdi>
        <span className="aside schedule-times">
          {paused && (
            <>
              <Badge>paused</Badge>{' '}
            </>
          )}
          <span title={schedule.cron ?? undefined}>{timesInWords(schedule)}</span>
          {nextRunAt !== null && `; next ${timeIn(schedule, nextRunAt)}`}
          {lastRun !== null && `; last ${timeIn(schedule, lastRun.dueAt)}: ${lastRun.outcome}`}
          {lastRun?.error && ` (${lastRun.error.message})`}
        </span>
      </span>
      <span className="schedule-acts">
        <Button disabled={isBusy} onClick={onEdit} aria-label={`Edit ${about}`}>
          Edit
        </Button>
        <Button disabled={isBusy} onClick={() => onPause(!paused)} aria-label={`${paused ? 'Resume' : 'Pause'} ${about}`}>
          {paused ? 'Resume' : 'Pause'}
        </Button>
        <Sure label="Delete" about={about} onSure={onDelete} />
      </span>
    </li>
  );
}
