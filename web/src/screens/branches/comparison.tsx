import type { Branch } from '@verbatim/client';
import { useMemo } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { briefTime, plural } from '../../app/words.ts';
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
  const { data, error } = useLoad(() => eventsAfter(client, id, 0), [client, id], version);
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
        {SIDES.map((side, at) => (
          <span key={side}>
            <span className="aside">{side}</span> <bdi>{labels[at]}</bdi>
          </span>
        ))}
      </div>
      {Array.from({ length: both }, (_, at) => (
        <Pair key={at} left={there[at]!} right={here[at]!} />
      ))}
      <Rest steps={there.slice(both)} side="This branch" />
      <Rest steps={here.slice(both)} side="The current branch" />
    </div>
  );
}

/** What the columns are called; a narrow window has them one below the other. */
const SIDES = ['This branch', 'Current branch'] as const;
const NAME = 60;
const shortened = (text: string): string => (text.length > NAME ? `${text.slice(0, NAME)}…` : text);

/** Two steps of one kind are compared line by line, others stand side by side. */
function Pair({ left, right }: { readonly left: Step; readonly right: Step }) {
  const [before, after] = [textOf(left), textOf(right)];
  const isCompared = left.by === right.by && before !== '' && after !== '' && before !== after && ![before, after].some((text) => text.startsWith('<command-'));
  if (!isCompared) {
    return (
      <div className="compare-row">
        {[left, right].map((step, at) => (
          <div key={step.uuid} className="side">
            <StepHead step={step} side={SIDES[at]!} />
            <Text step={step} />
          </div>
        ))}
      </div>
    );
  }
  const isWithChips = [left, right].some(({ parts }) => parts.some((part) => 'name' in part));
  return (
    <>
      <p className="compare-step">
        {visible(left.by)} <Time value={left.at} />
        {briefTime(left.at) !== briefTime(right.at) && (
          <>
            {' and '}
            <Time value={right.at} />
          </>
        )}
      </p>
      {isWithChips && (
        <div className="compare-row heads">
          {[left, right].map((step, at) => (
            <div key={step.uuid} className="side" data-side={SIDES[at]}>
              <span className="side-label">
                <Chips step={step} />
              </span>
            </div>
          ))}
        </div>
      )}
      <SplitDiff isNeutral before={before} after={after} labels={SIDES} label={`Difference between the branches: ${left.by}`} />
    </>
  );
}

/** What only one of them has. */
function Rest({ steps, side }: { readonly steps: readonly Step[]; readonly side: string }) {
  if (steps.length === 0) return null;
  return (
    <details className="compare-rest">
      <summary>
        {side} has {plural(steps.length, 'more step')}
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
function StepHead({ step, side }: { readonly step: Step; readonly side?: string }) {
  return (
    <span className="side-label">
      {side !== undefined && <span className="only-phone">{side}: </span>}
      {visible(step.by)} <Time value={step.at} />
      <Chips step={step} />
    </span>
  );
}

function Chips({ step: { parts } }: { readonly step: Step }) {
  return parts.map((part, index) =>
    'text' in part ? null : (
      <span key={index} className="part-chip" title={visible(part.about)}>
        {visible(part.name)}
        {part.about !== '' && <span className="aside"> {visible(part.about)}</span>}
      </span>
    ),
  );
}

function Text({ step }: { readonly step: Step }) {
  const text = textOf(step);
  if (text === '') return null;
  return step.isPrompt ? <TypedText text={text} /> : <Plain text={text} />;
}
