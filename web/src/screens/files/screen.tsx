import { useRef, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { useQuery } from '../../app/router.tsx';
import { bytes, plural, preciseTime } from '../../app/words.ts';
import { Badge, Button, Empty, ErrorNote, Loading } from '../../ui/parts.tsx';
import { allPages } from './all-pages.ts';
import { FileView, type KnownFile } from './file-view.tsx';
import { isExecutable, isHidden, isLink, nameOf } from './name.ts';
import { PathName } from './path-name.tsx';
import { Versions } from './versions.tsx';

/** Files that are laid out at once. */
const SHOWN = 200;

const REASONS: Readonly<Record<string, string>> = {
  too_large: 'too large',
  too_many: 'too many files',
  too_many_bytes: 'too many bytes in all',
  too_deep: 'in too many folders',
  special: 'a device, a pipe or a socket',
  link_outside: 'a link that leads out of the folder',
  name: 'a name that is no UTF-8',
  foreign: 'of another account',
  unreadable: 'cannot be read',
};

/** The files of a session's folder, now and at every earlier point. */
export function FilesScreen({ id, version }: { readonly id: string; readonly version: number }) {
  const client = useClient();
  const [at, setAt] = useQuery('at');
  const [open, setOpen] = useQuery('file');
  const versions = useLoad(
    async (signal) => {
      let isRecording = false;
      const all = await allPages(async (cursor) => {
        const page = await client.listFileVersions({ id, ...cursor }, { signal });
        isRecording = page.records;
        return page;
      });
      return { all, isRecording };
    },
    [client, id],
    version,
  );
  const files = useLoad(
    async (signal) => {
      let skipped: readonly Skipped[] = [];
      const all = await allPages(async (cursor) => {
        const page = await client.listFiles({ id, ...(at === null ? {} : { at }), ...cursor }, { signal });
        ({ skipped } = page);
        return page;
      });
      return { all, skipped };
    },
    [client, id, at],
    version,
  );
  const kept = useKept(versions.data, id);
  const present = useKept(files.data, `${id} ${at}`);
  if (versions.error) return <ErrorNote error={versions.error} onRetry={versions.reload} />;
  if (!kept) return <Loading what="the files" />;
  const known = kept.all;
  if (known.length === 0) {
    return kept.isRecording ? (
      <Empty title="No files yet">
        <p>As soon as a tool writes a file, such as in “Write a script that …”, it stands here as it was after each change.</p>
      </Empty>
    ) : (
      <Empty title="Files are not recorded">
        <p>This server does not record what tools change. An operator turns that on, for what is changed from then on.</p>
      </Empty>
    );
  }
  const shown = known.find((one) => one.id === at);
  // Where there is room beside the list, it holds a file.
  const read = open ?? (matchMedia('(min-width: 1000px)').matches ? firstOf(present?.all ?? []) : null);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="page" tabIndex={0} role="region" aria-label="Files">
      <div className="files-beside">
        <section className="card" aria-label="Files of the folder">
          <div className="request-head">
            <h2>{at === null ? 'Files now' : shown ? `Files after ${preciseTime(shown.at)}` : 'Files of an earlier point'}</h2>
            {at !== null && <Button onClick={() => setAt(null)}>Back to now</Button>}
          </div>
          <ErrorNote error={files.error} onRetry={files.reload} />
          {!present && files.error === null && <Loading what="the files" />}
          {present && <FileList files={present.all} skipped={present.skipped} open={read} onOpen={setOpen} />}
        </section>
        {read !== null && present && <FileView key={read} id={id} path={read} at={at} file={present.all.find(({ path }) => path === read)} />}
      </div>
      <Versions id={id} versions={known} at={at} onShow={setAt} />
    </div>
  );
}

/** What tells most about a folder: its README, or its first file. */
function firstOf(files: readonly KnownFile[]): string | null {
  const shown = files.filter(({ path }) => !isHidden(path));
  return (shown.find(({ path }) => /(?:^|\/)readme\b/i.test(nameOf(path))) ?? shown[0] ?? files[0])?.path ?? null;
}

/** What was loaded last for this key, while it is loaded again. */
function useKept<T>(data: T | null, key: string): T | null {
  const kept = useRef<{ readonly key: string; readonly data: T } | null>(null);
  if (data !== null) kept.current = { key, data };
  return kept.current?.key === key ? kept.current.data : null;
}

interface Skipped {
  readonly path: string;
  readonly reason: string;
}

interface ListProps {
  readonly files: readonly KnownFile[];
  readonly skipped: readonly Skipped[];
  readonly open: string | null;
  readonly onOpen: (path: string | null) => void;
}

function FileList({ files, skipped, open, onOpen }: ListProps) {
  const hidden = files.filter(({ path }) => isHidden(path));
  const others = files.filter(({ path }) => !isHidden(path));
  return (
    <>
      <p className="aside">{files.length === 0 ? 'There is none.' : plural(files.length, 'file')}</p>
      <Lines label="Files" files={others} open={open} onOpen={onOpen} />
      {hidden.length > 0 && (
        <details open={others.length === 0 || (open !== null && isHidden(open))}>
          <summary className="aside">{plural(hidden.length, 'hidden file')}</summary>
          <Lines label="Hidden files" files={hidden} open={open} onOpen={onOpen} />
        </details>
      )}
      {skipped.length > 0 && (
        <details className="aside">
          <summary>{plural(skipped.length, 'entry', 'entries')} not recorded</summary>
          <ul>
            {skipped.map(({ path, reason }, index) => (
              <li key={index}>
                <bdi className="mono">{nameOf(path)}</bdi>: {REASONS[reason] ?? reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Lines({ label, files, open, onOpen }: Omit<ListProps, 'skipped'> & { readonly label: string }) {
  const [limit, setLimit] = useState(SHOWN);
  return (
    <>
      <ul className="lines changes" aria-label={label}>
        {files.slice(0, limit).map(({ path, mode, size }) => (
          <li key={path} className="change">
            <button
              type="button"
              className="change-head"
              aria-label={[nameOf(path), ...(isLink(mode) ? ['link'] : []), ...(isExecutable(mode) ? ['executable'] : []), bytes(size)].join(', ')}
              aria-pressed={open === path}
              onClick={() => onOpen(open === path ? null : path)}
            >
              <PathName path={path} />
              {isLink(mode) && <Badge>link</Badge>}
              {isExecutable(mode) && <Badge>executable</Badge>}
              <span className="aside">{bytes(size)}</span>
            </button>
          </li>
        ))}
      </ul>
      {files.length > limit && (
        <Button look="quiet" onClick={() => setLimit(limit * 4)}>
          Show more: {files.length - limit} files are left
        </Button>
      )}
    </>
  );
}
