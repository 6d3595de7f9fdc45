import type { FileVersions } from '@verbatim/client';
import { useEffect, useRef, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { plural } from '../../app/words.ts';
import { Badge, Button, ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { type Difference, Differences, TONES } from './differences.tsx';
import { isHidden } from './name.ts';
import { PathName } from './path-name.tsx';

export type Version = FileVersions['data'][number];

/** Versions that are laid out at once. */
const SHOWN = 50;

interface Props {
  readonly id: string;
  readonly versions: readonly Version[];
  /** The version that is shown; null: now. */
  readonly at: string | null;
  readonly onShow: (version: string | null) => void;
}

/** Every change of the files, the newest first. */
export function Versions({ id, versions, at, onShow }: Props) {
  const [limit, setLimit] = useState(SHOWN);
  return (
    <section className="card" aria-label="Changes of the files">
      <h2>Changes</h2>
      <ul className="lines">
        {versions
          .toReversed()
          .slice(0, limit)
          .map((one) => (
            <Change key={one.id} id={id} version={one} isShown={at === one.id} onShow={onShow} />
          ))}
      </ul>
      {versions.length > limit && (
        <Button look="quiet" onClick={() => setLimit(limit * 4)}>
          Show more: {versions.length - limit} changes are left
        </Button>
      )}
    </section>
  );
}

function Change({ id, version, isShown, onShow }: Pick<Props, 'id' | 'onShow'> & { readonly version: Version; readonly isShown: boolean }) {
  const { at, cause, message, changed, deleted, isCurrent, isErased } = version;
  const counts = [...(changed > 0 ? [`${plural(changed, 'file')} written`] : []), ...(deleted > 0 ? [`${deleted} deleted`] : [])].join(', ');
  const [isOpen, setOpen] = useState(false);
  const isWithDiffs = isShown || isOpen;
  const what = isErased ? 'erased' : counts || 'only files that are not recorded';
  return (
    <li className="version">
      <div className="version-head">
        <Time value={at} isPrecise />
        {isWithDiffs ? <span className="grow aside">{what}</span> : <Names id={id} version={version} counts={what} />}{' '}
        {cause === 'outside' && <Badge>found in the folder</Badge>} {isCurrent && <Badge tone="live">current</Badge>}{' '}
        {message !== null && <Link to={`/sessions/${id}?message=${message}`}>In the conversation</Link>}
        {isShown && !isCurrent && <Badge tone="live">shown</Badge>}
        {isCurrent ? (
          <Button aria-expanded={isOpen} aria-label={`${isOpen ? 'Hide' : 'Show'} what was changed: ${what}, ${at}`} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide' : 'Show'}
          </Button>
        ) : (
          !isShown && (
            <Button aria-label={`Show the files after ${what}, ${at}`} onClick={() => onShow(version.id)}>
              Show
            </Button>
          )
        )}
      </div>
      {isWithDiffs && <Changes id={id} version={version.id} />}
    </li>
  );
}

/** Names of files that a row has. */
const NAMES = 3;

/** The files of a change by name, read when the row comes into view; until then, and where nothing of them is left, how many they are. */
function Names({ id, version, counts }: { readonly id: string; readonly version: Version; readonly counts: string }) {
  const client = useClient();
  const row = useRef<HTMLSpanElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(row.current!);
    return () => observer.disconnect();
  }, []);
  const isRead = isSeen && !version.isErased && version.changed + version.deleted > 0;
  const { data } = useLoad(
    async (signal) => (isRead ? (await client.diffFiles({ id, to: version.id, patches: false }, { signal })).data : []),
    [client, id, version.id, isRead],
  );
  const files = (data ?? []).filter(({ path }) => !isHidden(path));
  const hidden = (data ?? []).length - files.length;
  return (
    <span className="grow version-names" ref={row}>
      {files.length + hidden === 0 && counts}
      {files.slice(0, NAMES).map((file) => (
        <Name key={file.path} file={file} />
      ))}
      {files.length > NAMES && <span className="aside">and {plural(files.length - NAMES, 'more file', 'more files')}</span>}
      {hidden > 0 && <span className="aside">{plural(hidden, 'hidden file')}</span>}
    </span>
  );
}

function Name({ file: { path, change } }: { readonly file: Difference }) {
  return (
    <span className="version-name">
      <PathName path={path} />
      <Badge tone={TONES[change] ?? 'neutral'}>{change}</Badge>
    </span>
  );
}

const shownFirst = (files: readonly Difference[]): readonly Difference[] =>
  files.toSorted((one, other) => Number(isHidden(one.path)) - Number(isHidden(other.path)));

function Changes({ id, version }: { readonly id: string; readonly version: string }) {
  const client = useClient();
  const { data, error, reload } = useLoad((signal) => client.diffFiles({ id, to: version, patches: false }, { signal }), [client, id, version]);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the changes" />;
  const files = shownFirst(data.data);
  return (
    <div className="version-diffs">
      <Differences id={id} between={{ to: version }} data={files} isFirstOpen={files[0] !== undefined && !isHidden(files[0].path)} />
    </div>
  );
}
