import type { Branch } from '@verbatim/client';
import { useMemo } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { plural } from '../../app/words.ts';
import { wordsOf } from '../../text/brief.ts';
import { Plain, visible } from '../../text/plain.tsx';
import { SplitDiff } from '../../text/split-diff.tsx';
import { ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { TypedText } from '../conversation/typed-text.tsx';
import { eventsAfter } from '../events/load-events.ts';
import { messagesIn, pathTo, type Step, textOf } from './path.ts';

interface Props {
  readonly id: string;
  readonly version: number;
  readonly branch: Branch;
  readonly current: Branch;
  readonly names: ReadonlyMap<string, string>;
}

/** Steps of both that are laid out. */
const STEPS = 100;

/** Step by step, from where the two part. */
export function Comparison({ id, version, branch, current, names }: Props) {
  const client = useClient();
  const { data, error } = useLoad(() => eventsAfter(client, id, 0), [client, id, version]);
  const paths = useMemo(() => {
    if (!data) return null;
    const messages = messagesIn(data);
    const { forkedAfter } = branch;
    const to = (tip: string, from: string | null) => pathTo(messages, tip, from);
    return { there: to(branch.tip, forkedAfter), here: to(current.tip, forkedAfter), shared: forkedAfter === null ? [] : to(forkedAfter, null) };
  }, [data, branch, current]);
  if (error) return <ErrorNote error={error} />;
  if (!paths) return <Loading what="both branches" />;
  const { there, here, shared } = paths;
  const both = Math.min(there.length, here.length, STEPS);
  const last = shared.findLast((step) => textOf(step) !== '');
  const labels = [names.get(branch.tip) ?? '', names.get(current.tip) ?? ''] as const;
  return (
    <div className="compare">
      <p className="compare-shared">
        {shared.length === 0 ? 'Both begin here.' : `Both have the same ${plural(shared.length, 'step')} before`}
        {last && `, the last of which is “${visible(shortened(wordsOf(textOf(last))))}”`}
        {shared.length > 0 && '.'}
      </p>
      <div className="pair-head">
        {labels.map((label, at) => (
          <span key={at}>
            <span className="sign" aria-hidden="true">
              {at === 0 ? '−' : '+'}
            </span>{' '}
            <bdi>{label}</bdi>
            {at === 1 && <span className="aside"> current</span>}
          </span>
        ))}
      </div>
      {Array.from({ length: both }, (_, at) => (
        <Pair key={at} left={there[at]!} right={here[at]!} labels={labels} />
      ))}
      <Rest steps={there.slice(both)} name={labels[0]} other={labels[1]} />
      <Rest steps={here.slice(both)} name={labels[1]} other={labels[0]} />
    </div>
  );
}

const NAME = 60;
const shortened = (text: string): string => (text.length > NAME ? `${text.slice(0, NAME)}…` : text);

/** Two steps of one kind are compared line by line, others stand side by side. */
function Pair({ left, right, labels }: { readonly left: Step; readonly right: Step; readonly labels: readonly [string, string] }) {
  const [before, after] = [textOf(left), textOf(right)];
  const isCompared = left.by === right.by && before !== '' && after !== '' && before !== after && ![before, after].some((text) => text.startsWith('<command-'));
  return (
    <>
      <div className={`compare-row ${isCompared ? 'heads' : ''}`}>
        {[left, right].map((step, at) => (
          <div key={at} className="side">
            <StepHead step={step} sign={at === 0 ? '−' : '+'} />
            {!isCompared && <Text step={step} />}
          </div>
        ))}
      </div>
      {isCompared && <SplitDiff before={before} after={after} labels={labels} label={`Difference between the branches: ${left.by}`} />}
    </>
  );
}

/** What only one of them has. */
function Rest({ steps, name, other }: { readonly steps: readonly Step[]; readonly name: string; readonly other: string }) {
  if (steps.length === 0) return null;
  return (
    <details className="compare-rest">
      <summary>
        {plural(steps.length, 'more step')} of “<bdi>{shortened(name)}</bdi>”, where “<bdi>{shortened(other)}</bdi>” has ended
      </summary>
      {steps.slice(0, STEPS).map((step) => (
        <div key={step.uuid} className="side">
          <StepHead step={step} />
          <Text step={step} />
        </div>
      ))}
    </details>
  );
}

/** Whose it is, and what of it is no text, by name. */
function StepHead({ step: { by, at, parts }, sign }: { readonly step: Step; readonly sign?: string }) {
  return (
    <span className="side-label">
      {sign !== undefined && <span aria-hidden="true">{sign} </span>}
      {visible(by)} <Time value={at} />
      {parts.map((part, index) =>
        'text' in part ? null : (
          <span key={index} className="part-chip" title={visible(part.about)}>
            {visible(part.name)}
            {part.about !== '' && <span className="aside"> {visible(part.about)}</span>}
          </span>
        ),
      )}
    </span>
  );
}

function Text({ step }: { readonly step: Step }) {
  const text = textOf(step);
  if (text === '') return null;
  return step.isPrompt ? <TypedText text={text} /> : <Plain text={text} />;
}
