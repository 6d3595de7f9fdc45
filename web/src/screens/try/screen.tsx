import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useFileDrop } from '../../app/file-drop.ts';
import { bytes, count } from '../../app/words.ts';
import { Button, ErrorNote } from '../../ui/parts.tsx';
import { RawBoundary } from '../../ui/raw.tsx';
import { FAMILIES } from '../../../../packages/normalizer/models/families.ts';
import { EXAMPLES } from './examples.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { KEPT_CHARACTERS, useAttempt } from './kept.ts';
import { UnreadablePaste } from './pasted.ts';
import { Result } from './result.tsx';

const MODELS = Object.keys(FAMILIES).map((line) => `claude-${line}`);

/** A text field holds files up to this size; larger ones are named only. */
const SHOWN_CHARACTERS = 200_000;

/** A dry run: what the model would be sent for messages, a request or a session file, and why it differs. Nothing is stored. */
export function TryScreen() {
  const client = useClient();
  const { attempt, change, isKept } = useAttempt();
  const { source, error, model } = attempt;
  const [run, setRun] = useState<{ readonly number: number; readonly result: DryRun | null; readonly failure: unknown }>({
    number: 0,
    result: null,
    failure: null,
  });
  const [isBusy, setBusy] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const outcome = useRef<HTMLDivElement>(null);
  const { number, result, failure } = run;
  useEffect(() => {
    document.title = 'Try a payload · Verbatim';
    return () => void (document.title = 'Verbatim');
  }, []);
  useEffect(() => {
    if (number === 0) return;
    outcome.current!.focus();
    if (outcome.current!.getBoundingClientRect().top > innerHeight / 2) outcome.current!.scrollIntoView({ block: 'start' });
  }, [number]);

  const submit = async (event?: FormEvent): Promise<void> => {
    event?.preventDefault();
    if (isBusy) return;
    setBusy(true);
    const done = await dryRun(client, source.text, model.trim()).then(
      (found) => ({ result: found, failure: null }),
      (problem: unknown) => ({ result: null, failure: problem }),
    );
    setRun((before) => ({ ...done, number: before.number + 1 }));
    setBusy(false);
  };
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    const text = await file.text();
    change({ source: { text, file: text.length > SHOWN_CHARACTERS ? `${file.name}, ${bytes(file.size)}` : null } });
  };
  const isOver = useFileDrop(({ files }) => void take(files[0]));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
  };

  const form = (
    <form className={`try ${isOver ? 'over' : ''}`} onSubmit={(event) => void submit(event)} onKeyDown={onKeyDown}>
      {source.text === '' && (
        <p className="try-examples aside">
          An example:
          {EXAMPLES.map(({ label, text }) => (
            <button key={label} type="button" className="chip" onClick={() => change({ source: { text, file: null } })}>
              {label}
            </button>
          ))}
        </p>
      )}
      <div className="try-fields">
        {source.file === null ? (
          <label>
            Messages, a request, or a session file
            <textarea
              rows={9}
              spellCheck={false}
              value={source.text}
              placeholder={'[{"role": "user", "content": "…"}]\n{"model": "…", "messages": […]}\nor the lines of a session file; a file can be dropped here'}
              onChange={({ target: { value } }) => change({ source: { text: value, file: null } })}
            />
          </label>
        ) : (
          <p className="line">
            <span className="grow">{source.file}</span>
            <Button onClick={() => change({ source: { text: '', file: null } })}>Remove</Button>
          </p>
        )}
        <label>
          The error, if there is one
          <textarea
            rows={9}
            spellCheck={false}
            value={error}
            placeholder={'400 {"type": "error", "error": {"message": "messages.2.content.0: …"}}'}
            onChange={({ target: { value } }) => change({ error: value })}
          />
        </label>
      </div>
      <div className="line">
        <label className="beside">
          Model
          <input list="try-models" value={model} placeholder="as in the request" onChange={({ target: { value } }) => change({ model: value })} />
        </label>
        <datalist id="try-models">
          {MODELS.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <input ref={picker} type="file" hidden onChange={({ target }) => void take(target.files?.[0]).then(() => (target.value = ''))} />
        <Button onClick={() => picker.current?.click()}>Open a file…</Button>
        {source.file === null && (source.text !== '' || error !== '') && (
          <Button onClick={() => change({ source: { text: '', file: null }, error: '' })}>Clear</Button>
        )}
        <span className="spacer" />
        <Button look="primary" type="submit" disabled={isBusy} title="Ctrl+Enter">
          Try
        </Button>
      </div>
      <div role="status">
        {!isKept && (
          <p className="aside">
            This is larger than what the tab keeps ({count(KEPT_CHARACTERS)} characters at most): it is gone when the page is loaded again or left.
          </p>
        )}
      </div>
    </form>
  );
  const head = (
    <>
      {form}
      <div ref={outcome} tabIndex={-1} className="try-outcome" role="region" aria-label="Outcome" aria-busy={isBusy}>
        {failure instanceof UnreadablePaste ? <Unreadable problem={failure} /> : <ErrorNote error={failure} />}
      </div>
    </>
  );
  return (
    <div className="session">
      <div className="session-head">
        <div>
          <h1>Try a payload</h1>
          <p className="aside">What would be sent to the model in its place, and the reason of each difference. Nothing is stored, and no model is asked.</p>
        </div>
      </div>
      <div className="view">
        {result === null ? (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          <div className="page" tabIndex={0} role="region" aria-label="Try a payload">
            {head}
          </div>
        ) : (
          <RawBoundary key={number} title="answer" value={result}>
            <Result run={result} error={error} head={head} />
          </RawBoundary>
        )}
      </div>
    </div>
  );
}

function Unreadable({ problem: { pointer, message } }: { readonly problem: UnreadablePaste }) {
  return (
    <div className="note bad" role="alert">
      <div>
        <strong>This cannot be read.</strong> What was pasted{' '}
        {pointer === '' ? (
          ''
        ) : (
          <>
            at <code>{pointer}</code>{' '}
          </>
        )}
        {message}
      </div>
    </div>
  );
}
