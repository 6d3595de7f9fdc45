import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { plural } from '../../app/words.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Button, ErrorNote } from '../../ui/parts.tsx';

interface Props {
  readonly id: string;
  readonly title: string | null;
  readonly onClose: () => void;
  readonly onErased: () => void;
}

/** Erasure, after it was said what it reaches. */
export function EraseDialog({ id, title, onClose, onErased }: Props) {
  const client = useClient();
  const action = useAction();
  const session = useLoad((signal) => client.getSession({ id }, { signal }), [client, id]);
  const [reason, setReason] = useState('');
  const [includeForks, setIncludeForks] = useState(false);
  const [isSure, setSure] = useState(false);
  const erase = async (): Promise<void> => {
    const isDone = await action.run(() => client.eraseSession({ id, ...(reason === '' ? {} : { reason }), ...(includeForks ? { includeForks } : {}) }));
    if (!isDone) return;
    onErased();
    onClose();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button look="danger" disabled={!isSure || action.isBusy || session.data?.held === true} onClick={() => void erase()}>
        Erase
      </Button>
    </>
  );
  return (
    <Dialog title="Erase the content" onClose={onClose} footer={footer}>
      <p>
        What was written in <strong>{title ?? 'this conversation'}</strong> is erased for good: texts, files, inputs and results of tools
        {session.data && `, in ${plural(session.data.version, 'event')} of its log`}. It cannot be restored.
      </p>
      <p>What stays: that there was something, when, by whom, and its hashes, so that the log can still be proven.</p>
      {session.data?.held && <p className="note warn">It is under a legal hold: nothing of it can be erased.</p>}
      <label>
        Reason (kept in the log)
        <input value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
      <label className="check">
        <input type="checkbox" checked={includeForks} onChange={(event) => setIncludeForks(event.target.checked)} /> Also in its forks
      </label>
      <label className="check">
        <input type="checkbox" checked={isSure} onChange={(event) => setSure(event.target.checked)} /> I know that this cannot be undone
      </label>
      <ErrorNote error={action.error} />
    </Dialog>
  );
}
