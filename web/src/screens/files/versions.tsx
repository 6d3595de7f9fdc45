import type { FileVersions } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { plural } from '../../app/words.ts';
import { Badge, Button, ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { Differences } from './differences.tsx';

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
  const what = isErased ? 'erased' : counts || 'only files that are not recorded';
  return (
    <li className="version">
      <div className="version-head">
        <Time value={at} isPrecise />
        <span className="grow">{what}</span> {cause === 'outside' && <Badge>found in the folder</Badge>} {isCurrent && <Badge tone="live">now</Badge>}{' '}
        {message !== null && <Link to={`/sessions/${id}?message=${message}`}>in the conversation</Link>}
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
      {(isShown || isOpen) && <Changes id={id} version={version.id} />}
    </li>
  );
}

function Changes({ id, version }: { readonly id: string; readonly version: string }) {
  const client = useClient();
  const { data, error, reload } = useLoad((signal) => client.diffFiles({ id, to: version, patches: false }, { signal }), [client, id, version]);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the changes" />;
  return <Differences id={id} between={{ to: version }} data={data.data} />;
}
