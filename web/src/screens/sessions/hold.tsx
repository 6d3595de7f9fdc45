import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { visible } from '../../text/plain.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Button, ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { eventsAfter } from '../events/load-events.ts';

interface Props {
  readonly id: string;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** Places a legal hold on a conversation, or releases it. */
export function HoldDialog({ id, onClose, onChanged }: Props) {
  const client = useClient();
  const action = useAction();
  const session = useLoad((signal) => client.getSession({ id }, { signal }), [client, id]);
  const [reason, setReason] = useState('');
  const isHeld = session.data?.held === true;
  const submit = async (): Promise<void> => {
    const isDone = await action.run(() => (isHeld ? client.releaseHold({ id }) : client.placeHold({ id, body: { reason: reason.trim() || null } })));
    if (!isDone) return;
    onChanged();
    onClose();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button look={isHeld ? 'danger' : 'primary'} disabled={!session.data || action.isBusy} onClick={() => void submit()}>
        {isHeld ? 'Release the hold' : 'Place the hold'}
      </Button>
    </>
  );
  return (
    <Dialog title="Legal hold" onClose={onClose} footer={footer}>
      <ErrorNote error={session.error} onRetry={session.reload} />
      {!session.data && !session.error && <Loading what="the conversation" shape="lines" />}
      {session.data && isHeld && (
        <>
          <PlacedBy id={id} version={session.data.version} />
          <p>
            Nothing of the conversation is erased while it is held. Once the hold is released, its content can be erased again, on request or by the retention.
          </p>
        </>
      )}
      {session.data && !isHeld && (
        <>
          <p>
            Nothing of the conversation is erased while it is held: not on request, not by retention, and not with its owner. Everything else stays possible.
          </p>
          <label>
            Reason (kept in the log)
            <input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
          </label>
        </>
      )}
      <ErrorNote error={action.error} />
    </Dialog>
  );
}

/** Who has placed the hold, when and why, as the log says it: to those who may read that. */
function PlacedBy({ id, version }: { readonly id: string; readonly version: number }) {
  const client = useClient();
  const nameOf = usePeople();
  const { data } = useLoad(async () => (await eventsAfter(client, id, 0)).findLast(({ type }) => type === 'hold.placed'), [client, id, version]);
  if (data?.type !== 'hold.placed') return null;
  return (
    <dl className="reach" aria-label="The hold">
      <dt>Placed by</dt>
      <dd>{data.actor.kind === 'user' ? nameOf(data.actor.id) : 'the server'}</dd>
      <dt>When</dt>
      <dd>
        <Time value={data.time} isPrecise />
      </dd>
      <dt>Reason</dt>
      <dd>{data.erased || data.data.reason === null ? 'none was given' : visible(data.data.reason)}</dd>
    </dl>
  );
}
