import type { MemoryVersions } from '@verbatim/client';
import { useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { bytes, count } from '../../app/words.ts';
import { Output } from '../../text/code.tsx';
import { LineDiff } from '../../text/line-diff.tsx';
import { visible } from '../../text/plain.tsx';
import { Badge, Button, ErrorNote, Time } from '../../ui/parts.tsx';

/** Where the model keeps all of them. */
const FOLDER = '/memories/';

export const nameOfFile = (path: string): string => (path.startsWith(FOLDER) ? path.slice(FOLDER.length) : path);

type Version = MemoryVersions['data'][number];

interface Props {
  readonly path: string;
  /** The version in force. */
  readonly present: number;
  readonly onChanged: () => void;
}

/** One version of a file as text or as what it changed, and all of them to choose from. */
export function MemoryFile({ path, present, onChanged }: Props) {
  const { client, me } = useAccount();
  const { userId } = me;
  const action = useAction();
  const [shown, show] = useState(present);
  const [isDiff, setDiff] = useState(false);
  const { data, error } = useLoad((signal) => client.listMemoryVersions({ userId, path, limit: 50 }, { signal }), [client, userId, path]);
  const versions = data?.data ?? [];
  const before = versions.find(({ version, bytes: size }) => version < shown && size !== null)?.version;
  const content = useLoad((signal) => client.getMemoryContent({ userId, path, version: shown }, { signal }), [client, userId, path, shown]);
  const undo = (version: number): void => void action.run(() => client.undoMemory({ userId, body: { path, version } })).then((done) => done && onChanged());
  return (
    <article className="card memory-file">
      <div className="memory-file-head">
        <h3>
          <bdi>{visible(nameOfFile(path))}</bdi>
        </h3>
        <span className="aside">version {count(shown)}</span>
        {before !== undefined && (
          <Button look="quiet" aria-pressed={isDiff} onClick={() => setDiff(!isDiff)}>
            {isDiff ? 'Show the text' : 'Show what it changed'}
          </Button>
        )}
      </div>
      <ErrorNote error={error ?? content.error ?? action.error} />
      {content.data &&
        (isDiff && before !== undefined ? (
          <Changed path={path} before={before} after={content.data.content} />
        ) : (
          <div className="memory-text">
            <Output text={content.data.content} />
          </div>
        ))}
      <h4>Versions, counted over all files</h4>
      <ul className="entries" aria-label={`Versions of ${path}`}>
        {versions.map((one) => (
          <VersionRow key={one.version} version={one} isShown={one.version === shown} isPresent={one.version === present} onShow={show} onUndo={undo} />
        ))}
      </ul>
      {data?.nextCursor && <p className="aside">Only the newest {count(versions.length)} versions are listed.</p>}
    </article>
  );
}

function Changed({ path, before, after }: { readonly path: string; readonly before: number; readonly after: string }) {
  const { client, me } = useAccount();
  const { userId } = me;
  const { data, error } = useLoad((signal) => client.getMemoryContent({ userId, path, version: before }, { signal }), [client, userId, path, before]);
  if (error) return <ErrorNote error={error} />;
  return data && <LineDiff before={data.content} after={after} label={`What was changed since version ${before}`} />;
}

interface VersionProps {
  readonly version: Version;
  readonly isShown: boolean;
  readonly isPresent: boolean;
  readonly onShow: (version: number) => void;
  readonly onUndo: (version: number) => void;
}

function VersionRow({ version: one, isShown, isPresent, onShow, onUndo }: VersionProps) {
  const { version, bytes: size, renamedFrom, changedAt, sessionId } = one;
  return (
    <li className={isShown ? 'shown' : undefined}>
      <span className="grow">
        Version {count(version)} {isPresent && <Badge tone="live">now</Badge>}
        <span className="aside entry-about">
          <Time value={changedAt} /> {sessionId === null ? 'by you' : <Link to={`/sessions/${sessionId}`}>in a conversation</Link>}
          {renamedFrom !== null && `, moved from ${visible(renamedFrom)}`}
          {size === null ? ', deleted or moved away' : `, ${bytes(size)}`}
        </span>
      </span>
      {size !== null && !isPresent && (
        <Button look="quiet" onClick={() => onUndo(version)} aria-label={`Use version ${version} again`}>
          Use again
        </Button>
      )}
      {size !== null && (
        <Button look="quiet" onClick={() => onShow(version)} aria-pressed={isShown} aria-label={`Show version ${version}`}>
          {isShown ? 'Shown' : 'Show'}
        </Button>
      )}
    </li>
  );
}
