import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Button, ErrorNote, Loading } from '../../ui/parts.tsx';

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
        <p>
          The conversation is under a legal hold. Once it is released, its content can be erased again, and is erased when its retention says so; erasures that
          were refused are not repeated.
        </p>
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
