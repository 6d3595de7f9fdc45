import { ProblemError } from '@verbatim/client';
import { useEffect, useRef } from 'react';
import { useFileDrop } from '../../app/file-drop.ts';
import { useAction } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Badge, Button, ErrorNote } from '../../ui/parts.tsx';
import { droppedFiles, selectedFiles } from './dropped-files.ts';
import { type Import, type Report, useImports } from './use-imports.ts';

/** Session files become sessions: chosen, or dropped, one by one or as a folder. */
export function ImportScreen() {
  const { imports, isBusy, add } = useImports();
  const drop = useAction();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Import · Verbatim';
    return () => void (document.title = 'Verbatim');
  }, []);
  const isOver = useFileDrop((data) => void drop.run(async () => add(await droppedFiles(data))));
  const done = imports.filter(({ state }) => state.kind === 'done').length;
  const all = imports.filter(({ state }) => state.kind !== 'left-out').length;
  return (
    <div className="page" tabIndex={0} role="region" aria-label="Import">
      <div className="page-head">
        <h1>Import conversations</h1>
        <p className="aside">
          Session files of Claude Code, which it keeps below <code>~/.claude/projects</code>, and exports of this server.
        </p>
      </div>
      <ErrorNote error={drop.error} onClose={drop.clear} />
      <div className={`drop ${isOver ? 'over' : ''} ${imports.length > 0 ? 'brief' : ''}`}>
        <span className="offer-icon">
          <Icon name="import" />
        </span>
        <p>
          <strong>
            <span className="with-keys">Drop files or a folder here</span>
            <span className="with-touch">Session files of this device</span>
          </strong>
        </p>
        <p className="line">
          <Button look="primary" onClick={() => files.current!.click()}>
            Choose files
          </Button>
          <Button className="with-keys" onClick={() => folder.current!.click()}>
            Choose a folder
          </Button>
        </p>
        <input ref={files} type="file" hidden multiple accept=".jsonl" aria-label="Session files" onChange={({ target }) => take(target, add)} />
        <input
          ref={(input) => {
            folder.current = input;
            if (input) input.webkitdirectory = true;
          }}
          type="file"
          hidden
          aria-label="A folder of session files"
          onChange={({ target }) => take(target, add)}
        />
      </div>
      {imports.length === 0 && (
        <dl className="facts told">
          {WHAT_BECOMES.map(([what, becomes]) => (
            <div key={what} className={what === FOLDER ? 'with-keys' : undefined}>
              <dt>{what}</dt>
              <dd>{becomes}</dd>
            </div>
          ))}
        </dl>
      )}
      {imports.length > 0 && (
        <>
          <p role="status">{isBusy ? `Importing: ${done} of ${plural(all, 'file')}` : `${done} of ${plural(all, 'file')} imported`}</p>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">File</th>
                <th scope="col">State</th>
                <th scope="col">Report</th>
              </tr>
            </thead>
            <tbody>
              {imports.map((one, index) => (
                <Row key={index} of={one} />
              ))}
            </tbody>
          </table>
        </>
      )}
    </div>
  );
}

/** What phones do not offer to be chosen. */
const FOLDER = 'A folder';

const WHAT_BECOMES = [
  ['A file', 'It becomes one conversation with all its branches. Its messages are stored unchanged.'],
  [FOLDER, 'Every file in it is read. Files that are not sessions are left out, and listed.'],
  ['The same file again', 'It is not imported twice: its row leads to the conversation that it became.'],
] as const;

/** The same files can be chosen again. */
function take(input: HTMLInputElement, add: (files: ReturnType<typeof selectedFiles>) => void): void {
  add(selectedFiles(input.files));
  input.value = '';
}

/** Faults of a file that are shown. */
const FAULTS = 5;

const TONES: Readonly<Record<Import['state']['kind'], string>> = { waiting: 'neutral', running: 'live', 'left-out': 'muted', done: 'good', failed: 'bad' };

function Row({ of: { path, state } }: { readonly of: Import }) {
  return (
    <tr>
      <td className="import-path">{visible(path)}</td>
      <td>
        <Badge tone={TONES[state.kind]}>{state.kind === 'left-out' ? 'left out' : state.kind}</Badge>
      </td>
      <td>
        {state.kind === 'done' && (
          <>
            <Link to={`/sessions/${state.report.id}`} aria-label={`Open the conversation of ${visible(path)}`}>
              Open the conversation
            </Link>
            : {sentence(state.report)}
          </>
        )}
        {state.kind === 'left-out' && state.why}
        {state.kind === 'failed' && <Failed error={state.error} />}
      </td>
    </tr>
  );
}

/** Where the file has faults, the first of them is the cause: what the server says of the whole says the same twice. */
function Failed({ error }: { readonly error: unknown }) {
  if (!(error instanceof ProblemError) || error.code !== 'nothing_to_import' || error.errors.length === 0) return <ErrorNote error={error} />;
  return (
    <div className="note bad" role="alert">
      <div>
        <strong>No message in it can be read, so nothing was imported.</strong>
        <ul>
          {error.errors.slice(0, FAULTS).map(({ pointer, detail }) => (
            <li key={pointer}>
              <code>{visible(pointer)}</code> {visible(detail)}
            </li>
          ))}
          {error.errors.length > FAULTS && <li>and {error.errors.length - FAULTS} more</li>}
        </ul>
      </div>
    </div>
  );
}

/** What became of the file, as far as something did. */
function sentence({ imported, moves, offBranchTotal, skippedTotal, shortened }: Report): string {
  const parts = [
    plural(imported, 'message'),
    ...(moves > 0 ? [plural(moves, 'rewind')] : []),
    ...(offBranchTotal > 0 ? [`${plural(offBranchTotal, 'message')} beside the branch`] : []),
    ...(skippedTotal > 0 ? [`${plural(skippedTotal, 'line')} could not be read`] : []),
    ...(shortened.length > 0 ? [`${plural(shortened.length, 'message')} shortened`] : []),
  ];
  return `${parts.join(', ')}.`;
}
