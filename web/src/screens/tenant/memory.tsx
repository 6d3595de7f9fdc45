import type { Memory as Remembered } from '@verbatim/client';
import { useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { bytes, plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Empty, ErrorNote, Loading, Sure, Time } from '../../ui/parts.tsx';
import { DeletedMemory } from './deleted-memory.tsx';
import { MemoryFile, nameOfFile } from './memory-file.tsx';
import { SectionHead } from './section-head.tsx';

/** What the model keeps for the person: the files at the left, one of them with its versions at the right. */
export function Memory() {
  const { client, me } = useAccount();
  const { userId } = me;
  const action = useAction();
  const [chosen, choose] = useState<string | null>(null);
  const { data, error, reload } = useLoad((signal) => client.listMemory({ userId, deleted: true }, { signal }), [client, userId]);
  const erase = (): void => void action.run(() => client.eraseMemory({ userId })).then(reload);
  if (data === null && error === null) return <Loading what="the memory" />;
  const files = data?.data ?? [];
  const open = files.find(({ path }) => path === chosen) ?? files[0];
  return (
    <section aria-label="What is remembered of you" className="memory">
      <SectionHead
        title="What is remembered of you"
        about="Files that the model writes for you and reads in later conversations. No other person can read them here. What the model has read of them in a conversation is part of that conversation."
      >
        {files.length + (data?.deleted?.length ?? 0) > 0 && <Sure label="Erase all" about="that is remembered of you" onSure={erase} />}
      </SectionHead>
      <ErrorNote error={error} onRetry={reload} />
      <ErrorNote error={action.error} onClose={action.clear} />
      {data !== null && open === undefined && <NothingRemembered isAdmin={me.role === 'admin'} />}
      {open !== undefined && (
        <div className="memory-panes">
          <nav className="memory-files" aria-label={plural(files.length, 'file')}>
            {files.map((file) => (
              <FileButton key={file.path} file={file} isOpen={file === open} onOpen={() => choose(file.path)} />
            ))}
          </nav>
          <MemoryFile key={`${open.path} ${open.version}`} path={open.path} present={open.version} onChanged={reload} />
        </div>
      )}
      {data?.deleted && <DeletedMemory files={data.deleted} onChanged={reload} />}
    </section>
  );
}

function FileButton({ file: { path, bytes: size, changedAt }, isOpen, onOpen }: FileProps) {
  return (
    <button type="button" className="memory-file-button" aria-current={isOpen} aria-label={`Open ${path}`} onClick={onOpen}>
      <bdi>{visible(nameOfFile(path))}</bdi>
      <span className="aside">
        {bytes(size)}, <Time value={changedAt} />
      </span>
    </button>
  );
}

interface FileProps {
  readonly file: Remembered['data'][number];
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

function NothingRemembered({ isAdmin }: { readonly isAdmin: boolean }) {
  return (
    <div className="card">
      <Empty title="Nothing is remembered">
        <p>
          When a conversation shows something that later ones should know, such as how you like answers or what a project is about, the model writes it into a
          file here. Say “remember that …” to have it do so. You can undo each change, and erase all of it.
        </p>
        {isAdmin && (
          <p>
            It does so once <Link to="/tenant/settings">the settings</Link> let the model keep a memory for each user.
          </p>
        )}
      </Empty>
    </div>
  );
}
