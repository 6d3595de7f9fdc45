import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { visible } from '../../text/plain.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Button, ErrorNote } from '../../ui/parts.tsx';

interface Props {
  readonly id: string;
  readonly title: string | null;
  /** What names it while it has no title. */
  readonly beginning: string | null;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** Gives a conversation another title; an empty one leaves it to its beginning. */
export function RenameDialog({ id, title, beginning, onClose, onChanged }: Props) {
  const client = useClient();
  const action = useAction();
  const [name, setName] = useState(title ?? '');
  const rename = async (): Promise<void> => {
    if (!(await action.run(() => client.updateSession({ id, body: { title: name.trim() || null } })))) return;
    onChanged();
    onClose();
  };
  return (
    <Dialog
      title="Rename"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="rename" look="primary" disabled={action.isBusy}>
            Rename
          </Button>
        </>
      }
    >
      <form
        id="rename"
        onSubmit={(event) => {
          event.preventDefault();
          void rename();
        }}
      >
        <label>
          Title
          <input value={name} placeholder={visible(beginning ?? '')} maxLength={200} onChange={(event) => setName(event.target.value)} />
        </label>
      </form>
      <ErrorNote error={action.error} />
    </Dialog>
  );
}
