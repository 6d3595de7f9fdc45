import { ProblemError } from '@verbatim/client';
import { type ReactNode, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { plural, shortId } from '../../app/words.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Button, ErrorNote } from '../../ui/parts.tsx';

export interface ErasureOptions {
  readonly reason?: string;
  readonly includeForks?: boolean;
}

interface Props {
  readonly id: string;
  readonly title: string;
  readonly onClose: () => void;
  readonly onErased: () => void;
  readonly erase: (options: ErasureOptions) => Promise<unknown>;
  /** What will be erased, and what will stay. */
  readonly children: ReactNode;
}

/** Asks for an erasure, after it was said what it reaches. */
export function ErasureForm({ id, title, onClose, onErased, erase, children }: Props) {
  const client = useClient();
  const action = useAction();
  const held = useLoad((signal) => client.getSession({ id }, { signal }), [client, id]).data?.held === true;
  const [reason, setReason] = useState('');
  const [includeForks, setIncludeForks] = useState(false);
  const [isSure, setSure] = useState(false);
  const submit = async (): Promise<void> => {
    const isDone = await action.run(() => erase({ ...(reason === '' ? {} : { reason }), ...(includeForks ? { includeForks } : {}) }));
    if (!isDone) return;
    onErased();
    onClose();
  };
  const footer = (
    <>
      {!isSure && !held && <span className="aside foot-hint">Check “I know that this cannot be undone” to erase.</span>}
      <Button onClick={onClose}>Cancel</Button>
      <Button look="danger" disabled={!isSure || action.isBusy || held} onClick={() => void submit()}>
        Erase
      </Button>
    </>
  );
  const forks = forksIn(action.error);
  return (
    <Dialog title={title} onClose={onClose} footer={footer}>
      {children}
      {held && <p className="note warn">The conversation is under a legal hold: nothing of it can be erased until an admin releases the hold.</p>}
      <label>
        <span>
          Reason <span className="aside">(kept in the log: not a place for what is erased)</span>
        </span>
        <input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </label>
      <label className="check">
        <input type="checkbox" checked={includeForks} onChange={(event) => setIncludeForks(event.target.checked)} /> Also in its forks
      </label>
      <label className="check">
        <input type="checkbox" checked={isSure} onChange={(event) => setSure(event.target.checked)} /> I know that this cannot be undone
      </label>
      {forks === null ? <ErrorNote error={action.error} /> : <Forks forks={forks} onClose={onClose} />}
    </Dialog>
  );
}

/** Nothing was erased, because forks show the same. */
function Forks({ forks, onClose }: { readonly forks: readonly string[]; readonly onClose: () => void }) {
  return (
    <div className="note bad" role="alert">
      <div>
        <strong>Nothing was erased: {plural(forks.length, 'fork')} of this conversation would still show it.</strong> Choose “Also in its forks” to erase it
        there as well.
        <ul>
          {forks.slice(0, 20).map((fork) => (
            <li key={fork}>
              <Link to={`/sessions/${fork}`} onClick={onClose}>
                Fork {shortId(fork)}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function forksIn(error: unknown): readonly string[] | null {
  if (!(error instanceof ProblemError) || error.code !== 'session_has_forks') return null;
  const { forks } = error.problem as { readonly forks?: unknown };
  return Array.isArray(forks) ? forks.map(String) : [];
}
