import type { ReactNode } from 'react';
import { useMemo } from 'react';
import { useQuery } from '../../app/router.tsx';
import { plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Badge, Button, Copy } from '../../ui/parts.tsx';
import type { Row } from '../request/align.ts';
import { actionWords } from '../request/describe.ts';
import { RequestView } from '../request/request-view.tsx';
import { type DryRun, explained, messageIn, type Problem } from './dry-run.ts';

interface Props {
  readonly run: DryRun;
  /** The error that a person has seen; empty: none. */
  readonly error: string;
  readonly head: ReactNode;
}

/** What a dry run found: what is refused, what is changed by which pass, and the blocks side by side. */
export function Result({ run, error, head }: Props) {
  const { view, model, before, after, repaired, notes, changedOptions } = run;
  const passes = useMemo(() => passesOf(run.rows), [run.rows]);
  return (
    <RequestView
      sessionId={null}
      request={view}
      labels={['Given', `Sent to ${model}`]}
      tools={<Copy text={() => JSON.stringify(repaired, null, 2)} label="Copy the repaired request" />}
      head={
        <>
          {head}
          <div className="try-findings">
            <Verdict {...run} />
            {error.trim() !== '' && <ErrorExplained error={error} run={run} />}
            {before !== null && <Problems title="As it was given" none="The model API accepts it, as far as its rules are known." problems={before} />}
            <Problems title="Repaired" none="The model API accepts it, as far as its rules are known." problems={after} />
            <section aria-label="Changes by pass">
              <h2>Changes by pass</h2>
              {passes.length === 0 && changedOptions.length === 0 && <p className="aside">None: everything is sent as it was given.</p>}
              <ul className="try-list">
                {passes.map((one) => (
                  <Pass key={`${one.pass}/${one.action}/${one.reason}`} {...one} />
                ))}
                {changedOptions.map(({ option, reason }) => (
                  <li key={option}>
                    <Badge tone="changed">changed</Badge> <code>{option}</code> {visible(reason)}
                  </li>
                ))}
              </ul>
            </section>
            {notes.length > 0 && (
              <details>
                <summary>
                  {plural(notes.length, 'part')} read in another form, or left out{notes.some(({ pointer }) => pointer !== '') && `: ${pointersOf(notes)}`}
                </summary>
                <ul className="try-list">
                  {notes.map(({ pointer, detail }) => (
                    <li key={pointer + detail}>
                      <code>{visible(pointer)}</code> {visible(detail)}
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </div>
        </>
      }
    />
  );
}

/** Names in a line of what was read in another form. */
const POINTERS = 3;
const pointersOf = (notes: DryRun['notes']): string => {
  const pointers = [...new Set(notes.map(({ pointer }) => pointer))].filter((pointer) => pointer !== '');
  return visible(
    `${pointers
      .slice(0, POINTERS)
      .map((pointer) => pointer.slice(0, 60))
      .join(', ')}${pointers.length > POINTERS ? ', …' : ''}`,
  );
};

/** The answer in a sentence. */
function Verdict({ before, after }: Pick<DryRun, 'before' | 'after'>) {
  const isAccepted = after.length === 0;
  const now = isAccepted ? 'would be accepted' : 'would still be refused';
  return (
    <p className={`note ${isAccepted ? 'good' : 'bad'}`}>
      {before === null
        ? `What is sent for it ${isAccepted ? now : 'would be refused'}.`
        : before.length === 0
          ? `The model API would accept it as it was given; what is sent for it ${isAccepted ? 'would be accepted too' : 'would be refused'}.`
          : `The model API would refuse it as it was given; repaired, it ${now}.`}
    </p>
  );
}

const SHOWN_PROBLEMS = 20;
const OWN_WORDS = '[stand-in] ';

function Problems({ title, none, problems }: { readonly title: string; readonly none: string; readonly problems: readonly Problem[] }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {problems.length === 0 ? (
        <p>
          <Badge tone="good">accepted</Badge> {none}
        </p>
      ) : (
        <>
          <p>
            <Badge tone="bad">refused</Badge> The model API would say the first of these:
          </p>
          <ul className="try-list">
            {problems.slice(0, SHOWN_PROBLEMS).map(({ rule, at, text }) => (
              <li key={rule + at + text}>
                <code>{at || '(the request)'}</code> {visible(withoutPlace(text.replace(OWN_WORDS, ''), at))} <code className="aside">{rule}</code>
              </li>
            ))}
            {problems.length > SHOWN_PROBLEMS && <li className="aside">and {problems.length - SHOWN_PROBLEMS} more</li>}
          </ul>
        </>
      )}
    </section>
  );
}

/** The model API begins some of its texts with the place, or a part of it, which stands before them here. */
const withoutPlace = (text: string, at: string): string => {
  const [place = ''] = /^messages[.\w]*(?=: )/.exec(text) ?? [];
  return place !== '' && (at === place || at.startsWith(`${place}.`)) ? text.slice(place.length + 2) : text;
};

interface PassChange {
  readonly pass: string;
  readonly action: string;
  readonly reason: string;
  readonly count: number;
  /** Key of the first of its blocks. */
  readonly first: string;
}

function passesOf(rows: readonly Row[]): readonly PassChange[] {
  const found = new Map<string, PassChange>();
  for (const { key, entries } of rows) {
    for (const { pass, action, reason } of entries) {
      if (action === 'kept') continue;
      const name = `${pass}/${action}/${reason}`;
      const before = found.get(name);
      found.set(name, { pass, action, reason, count: (before?.count ?? 0) + 1, first: before?.first ?? key });
    }
  }
  return [...found.values()];
}

function Pass({ pass, action, reason, count, first }: PassChange) {
  return (
    <li className="with-action">
      <span>
        <Badge tone={action}>{action}</Badge> {pass !== 'none' && <code>{pass}</code>} {plural(count, 'block')}
        {reason && <>: {visible(reason)}</>}
      </span>
      <ShowBlock at={first} />
    </li>
  );
}

function ShowBlock({ at }: { readonly at: string }) {
  const [, setOpen] = useQuery('block');
  return (
    <Button look="quiet" className="at-end" onClick={() => setOpen(at)}>
      Show
    </Button>
  );
}

/** The blocks that the error is about, and what becomes of them. */
function ErrorExplained({ error, run }: { readonly error: string; readonly run: DryRun }) {
  const places = explained(error, run);
  return (
    <section aria-label="The error">
      <h2>The error</h2>
      <p className="quote">{visible(messageIn(error).trim().slice(0, 2_000))}</p>
      {places.length === 0 && <p className="aside">It names no place in the messages. What is refused of the request is below.</p>}
      <ul className="try-list">
        {places.map(({ place, row }) => (
          <li key={place} className="with-action">
            <span>
              <code>{place}</code>{' '}
              {row === null
                ? 'is not in what was given'
                : row.entry.action === 'kept'
                  ? 'is sent as it was given: no pass changes it'
                  : actionWords(row.entry.action)}
              {row !== null && row.entry.reason !== '' && row.entry.action !== 'kept' && <>: {visible(row.entry.reason)}</>}
              {row !== null && row.entry.action !== 'kept' && row.entry.pass !== '' && (
                <>
                  {' '}
                  (<code>{row.entry.pass}</code>)
                </>
              )}
            </span>
            {row && <ShowBlock at={row.key} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
