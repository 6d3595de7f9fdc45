import type { Memory as Remembered, MemoryVersions } from '@verbatim/client';
import { useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { bytes, count } from '../../app/words.ts';
import { Output } from '../../text/code.tsx';
import { visible } from '../../text/plain.tsx';
import { DeletedMemory } from './deleted-memory.tsx';
import { Badge, Button, Empty, ErrorNote, Loading, Sure, Time } from '../../ui/parts.tsx';

/** What the model keeps for the person: each file, how it came to be, and how to undo or erase it. */
export function Memory() {
  const { client, me } = useAccount();
  const { userId } = me;
  const action = useAction();
  const [open, setOpen] = useState<string | null>(null);
  const { data, error, reload } = useLoad((signal) => client.listMemory({ userId, deleted: true }, { signal }), [client, userId]);
  const erase = (): void => void action.run(() => client.eraseMemory({ userId })).then(reload);
  if (data === null && error === null) return <Loading what="the memory" />;
  return (
    <section className="card" aria-label="What is remembered of you">
      <h2>What is remembered of you</h2>
      <p className="aside">
        Files that the model keeps for you across your conversations, where an admin has switched that on. No other user reads them here; what the model has
        read of them in a conversation is part of that conversation.
      </p>
      <ErrorNote error={error} onRetry={reload} />
      <ErrorNote error={action.error} onClose={action.clear} />
      {data?.data.length === 0 && <Empty title="Nothing is remembered" />}
      <ul className="lines">
        {data?.data.map((file) => (
          <File key={file.path} file={file} isOpen={open === file.path} onToggle={() => setOpen(open === file.path ? null : file.path)} onChanged={reload} />
        ))}
      </ul>
      {data?.deleted && <DeletedMemory files={data.deleted} onChanged={reload} />}
      {data !== null && data.data.length + (data.deleted?.length ?? 0) > 0 && <Sure label="Erase all" about="that is remembered of you" onSure={erase} />}
    </section>
  );
}

interface FileProps {
  readonly file: Remembered['data'][number];
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onChanged: () => void;
}

function File({ file, isOpen, onToggle, onChanged }: FileProps) {
  const { path, bytes: size, version } = file;
  return (
    <li className="line">
      <div className="grow">
        <strong>
          <bdi>{visible(path)}</bdi>
        </strong>{' '}
        <span className="aside">{bytes(size)}, </span>
        <Change change={file} />
        {isOpen && <Versions key={version} path={path} present={version} onChanged={onChanged} />}
      </div>
      <Button onClick={onToggle} aria-expanded={isOpen} aria-label={`${isOpen ? 'Close' : 'Open'} ${path}`}>
        {isOpen ? 'Close' : 'Open'}
      </Button>
    </li>
  );
}

/** When it was made, and where. */
function Change({ change: { changedAt, sessionId } }: { readonly change: { readonly changedAt: string; readonly sessionId: string | null } }) {
  return (
    <span className="aside">
      <Time value={changedAt} /> {sessionId === null ? 'by you' : <Link to={`/sessions/${sessionId}`}>in a conversation</Link>}
    </span>
  );
}

interface VersionsProps {
  readonly path: string;
  readonly present: number;
  readonly onChanged: () => void;
}

/** One version of a file as text, and all of them to choose from. */
function Versions({ path, present, onChanged }: VersionsProps) {
  const { client, me } = useAccount();
  const { userId } = me;
  const action = useAction();
  const [shown, show] = useState(present);
  const { data, error } = useLoad((signal) => client.listMemoryVersions({ userId, path, limit: 50 }, { signal }), [client, userId, path]);
  const content = useLoad((signal) => client.getMemoryContent({ userId, path, version: shown }, { signal }), [client, userId, path, shown]);
  const undo = (version: number): void => void action.run(() => client.undoMemory({ userId, body: { path, version } })).then((done) => done && onChanged());
  return (
    <>
      <ErrorNote error={error ?? content.error ?? action.error} />
      {content.data && <Output text={content.data.content} />}
      <ul className="lines" aria-label={`Versions of ${path}`}>
        {data?.data.map((one) => (
          <Version key={one.version} version={one} isShown={one.version === shown} isPresent={one.version === present} onShow={show} onUndo={undo} />
        ))}
      </ul>
      {data?.nextCursor && <p className="aside">Only the newest {count(data.data.length)} versions are listed.</p>}
    </>
  );
}

interface VersionProps {
  readonly version: MemoryVersions['data'][number];
  readonly isShown: boolean;
  readonly isPresent: boolean;
  readonly onShow: (version: number) => void;
  readonly onUndo: (version: number) => void;
}

function Version({ version: one, isShown, isPresent, onShow, onUndo }: VersionProps) {
  const { version, bytes: size, renamedFrom } = one;
  return (
    <li className="line">
      <span className="grow">
        Version {count(version)} <Change change={one} />
        {renamedFrom !== null && <span className="aside"> moved from {visible(renamedFrom)}</span>}
        {size === null && <span className="aside"> deleted or moved away</span>} {isPresent && <Badge tone="live">now</Badge>}
      </span>
      {size !== null && (
        <Button onClick={() => onShow(version)} aria-pressed={isShown} aria-label={`Show version ${version}`}>
          Show
        </Button>
      )}
      {size !== null && !isPresent && (
        <Button onClick={() => onUndo(version)} aria-label={`Use version ${version} again`}>
          Use again
        </Button>
      )}
    </li>
  );
}
