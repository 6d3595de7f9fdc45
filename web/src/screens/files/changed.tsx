import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { plural } from '../../app/words.ts';
import { ErrorNote } from '../../ui/parts.tsx';
import { Differences } from './differences.tsx';

/** What a turn has changed in the files, folded. Nothing for one that has changed none. */
export function Changed({ id, turnId }: { readonly id: string; readonly turnId: string }) {
  const client = useClient();
  const [isOpen, setOpen] = useState(false);
  const { data, error, reload } = useLoad((signal) => client.diffFiles({ id, turn: turnId, patches: false }, { signal }), [client, id, turnId]);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data || data.data.length === 0) return null;
  return (
    <div role="group" className="files-changed" aria-label="Files that the turn has changed">
      <button type="button" className="changed-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className={`caret ${isOpen ? 'open' : ''}`} aria-hidden="true" />
        {plural(data.data.length, 'file')} changed
      </button>
      {isOpen && (
        <>
          <Differences id={id} between={{ turn: turnId }} data={data.data} />
          {data.to !== null && (
            <p className="aside">
              <Link to={`/sessions/${id}/files?at=${data.to}`}>All files after this answer</Link>
            </p>
          )}
        </>
      )}
    </div>
  );
}
