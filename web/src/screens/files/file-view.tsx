import { ProblemError } from '@verbatim/client';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { bytes } from '../../app/words.ts';
import { Code, COLOURS_LIMIT, languageOf } from '../../text/code.tsx';
import { Plain } from '../../text/plain.tsx';
import { Button, Copy, ErrorNote, Loading } from '../../ui/parts.tsx';
import { save } from '../../ui/save.ts';
import { isExecutable, isLink, nameOf } from './name.ts';
import { textIn } from './text-in.ts';

/** Larger files are offered to be downloaded only. */
const READ_LIMIT = 1_048_576;

export interface KnownFile {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly sha256: string;
}

interface Props {
  readonly id: string;
  readonly path: string;
  /** A version; null: now. */
  readonly at: string | null;
  /** Undefined: the file is not there at that point. */
  readonly file: KnownFile | undefined;
}

/** The content of one file at one point. */
export function FileView({ id, path, at, file }: Props) {
  const client = useClient();
  const action = useAction();
  const query = { id, path, ...(at === null ? {} : { at }) };
  const isRead = file === undefined || file.size <= READ_LIMIT;
  const { data, error, reload } = useLoad(
    async (signal) => (isRead ? textIn(await (await client.getFile(query, { signal })).arrayBuffer()) : null),
    [client, id, path, at, isRead, file?.sha256],
  );
  const download = (): void => void action.run(async () => save(await client.getFile(query), path.slice(path.lastIndexOf('/') + 1)));
  return (
    <section className="card" aria-label={`File ${nameOf(path)}`}>
      <div className="request-head">
        <h2 className="mono">
          <bdi>{nameOf(path)}</bdi>
        </h2>
        {file && (
          <span className="aside">
            {bytes(file.size)}
            {isLink(file.mode) && ', a symbolic link: its target is'}
            {isExecutable(file.mode) && ', executable'}
          </span>
        )}
        {data?.text && <Copy text={data.text} />}
        {file && <Button onClick={download}>Download</Button>}
      </div>
      <ErrorNote error={action.error} onClose={action.clear} />
      {error !== null && <Missing error={error} onRetry={reload} />}
      {!isRead && <p className="aside">The file is too large to be shown here.</p>}
      {isRead && data === null && error === null && <Loading what="the file" />}
      {data?.text === null && <p className="aside">Not a text, so it is not shown. It can be downloaded.</p>}
      {data?.text === '' && <p className="aside">The file is empty.</p>}
      {data?.text && <Text path={path} text={data.text} />}
    </section>
  );
}

/** Code keeps its lines, however long, and they have numbers; a text is broken at the width of the window. */
function Text({ path, text }: { readonly path: string; readonly text: string }) {
  const lang = languageOf(path);
  if (lang === '' || text.length > COLOURS_LIMIT) return <Plain text={text} className={`mono file-text ${lang === '' ? '' : 'unbroken'}`} />;
  const lines = text.replace(/\n$/, '').split('\n').length;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="mono file-text numbered" tabIndex={0} role="group" aria-label="Content of the file">
      <pre className="line-numbers" aria-hidden="true">
        {Array.from({ length: lines }, (_, at) => at + 1).join('\n')}
      </pre>
      <pre dir="auto">
        <Code code={text} lang={lang} />
      </pre>
    </div>
  );
}

function Missing({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const code = error instanceof ProblemError ? error.code : null;
  if (code === 'file_erased') return <p className="aside">What an erased message had written is erased, and cannot be read any more.</p>;
  if (code === 'blob_not_found') return <p className="aside">There is no file with this name at that point.</p>;
  return <ErrorNote error={error} onRetry={onRetry} />;
}
