import type { DeletedMemoryFile } from '@verbatim/client';
import { useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { Output } from '../../text/code.tsx';
import { visible } from '../../text/plain.tsx';
import { Button, ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { nameOfFile } from './memory-file.tsx';

/** Files of the memory that were deleted, each with its last text, to be used again. */
export function DeletedMemory({ files, onChanged }: { readonly files: readonly DeletedMemoryFile[]; readonly onChanged: () => void }) {
  const [open, setOpen] = useState<string | null>(null);
  if (files.length === 0) return null;
  return (
    <section className="card" aria-label="Deleted from the memory">
      <h3>Deleted</h3>
      <ul className="lines">
        {files.map(({ path, changedAt }) => (
          <li key={path} className="line deleted-memory">
            <div className="grow">
              <strong>
                <bdi>{visible(nameOfFile(path))}</bdi>
              </strong>{' '}
              <span className="aside">
                deleted or moved away, <Time value={changedAt} />
              </span>
              {open === path && <LastText path={path} onChanged={onChanged} />}
            </div>
            <Button
              onClick={() => setOpen(open === path ? null : path)}
              aria-expanded={open === path}
              aria-label={`${open === path ? 'Close' : 'Open'} ${path}`}
            >
              {open === path ? 'Close' : 'Open'}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function LastText({ path, onChanged }: { readonly path: string; readonly onChanged: () => void }) {
  const { client, me } = useAccount();
  const { userId } = me;
  const action = useAction();
  const { data, error } = useLoad(
    async (signal) => {
      const versions = await client.listMemoryVersions({ userId, path, limit: 50 }, { signal });
      const last = versions.data.find(({ bytes }) => bytes !== null);
      return { last: last === undefined ? null : await client.getMemoryContent({ userId, path, version: last.version }, { signal }) };
    },
    [client, userId, path],
  );
  if (error) return <ErrorNote error={error} />;
  if (!data) return <Loading what="the last text" />;
  if (data.last === null) return <p className="aside">Its newest versions have no text.</p>;
  const { content, version } = data.last;
  const use = (): void => void action.run(() => client.undoMemory({ userId, body: { path, version } })).then((done) => done && onChanged());
  return (
    <>
      <ErrorNote error={action.error} onClose={action.clear} />
      <Output text={content} />
      <Button disabled={action.isBusy} onClick={use} aria-label={`Use ${path} again`}>
        Use again
      </Button>
    </>
  );
}
