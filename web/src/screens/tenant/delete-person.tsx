import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Button, ErrorNote } from '../../ui/parts.tsx';
import type { User } from './person.tsx';

interface Props {
  readonly user: User;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Asks before a person is deleted, which cannot be undone, and says what it reaches. */
export function DeletePerson({ user, onClose, onDeleted }: Props) {
  const client = useClient();
  const action = useAction();
  const [reason, setReason] = useState('');
  const [isSure, setSure] = useState(false);
  const remove = async (): Promise<void> => {
    const query = reason.trim() === '' ? {} : { reason: reason.trim() };
    if (!(await action.run(() => client.deleteUser({ userId: user.id, ...query })))) return;
    onClose();
    onDeleted();
  };
  return (
    <Dialog
      title={`Delete ${visible(user.name)}?`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" disabled={!isSure || action.isBusy} onClick={() => void remove()}>
            Delete
          </Button>
        </>
      }
    >
      <p>
        <strong>{visible(user.name)}</strong> is signed out everywhere, and the name is removed
        {user.sessions > 0 && `, with the content of ${plural(user.sessions, 'conversation')}`}. What they did stays in the log under an id, without the name.
        {user.disabledAt === null && ' To keep them out without deleting anything, disable them.'}
      </p>
      <label>
        Reason, stored with the record of the deletion (write no content in it)
        <input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </label>
      <label className="check">
        <input type="checkbox" checked={isSure} onChange={(event) => setSure(event.target.checked)} /> I know that this cannot be undone
      </label>
      <ErrorNote error={action.error} />
    </Dialog>
  );
}
