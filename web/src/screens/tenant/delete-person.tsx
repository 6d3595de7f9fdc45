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
      title="Delete a person"
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
        <strong>{visible(user.name)}</strong> is signed out everywhere, the name is removed, and the content of {plural(user.sessions, 'conversation')} is
        erased. The id stays, so that the log keeps saying that one person did all of it. To only keep them out, disable them.
      </p>
      <label>
        Reason, kept with the receipt (without content)
        <input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </label>
      <label className="check">
        <input type="checkbox" checked={isSure} onChange={(event) => setSure(event.target.checked)} /> I know that this cannot be undone
      </label>
      <ErrorNote error={action.error} />
    </Dialog>
  );
}
