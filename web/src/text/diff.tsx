import { diffLines, diffWordsWithSpace } from 'diff';
import { useMemo } from 'react';
import { visible } from './plain.tsx';

/** Longer texts are compared by lines; when that takes too long they are shown one after the other. */
const WORDS_LIMIT = 20_000;
const TIMEOUT_MS = 300;

interface Part {
  readonly value: string;
  readonly added?: boolean;
  readonly removed?: boolean;
}

const replaced = (before: string, after: string): readonly Part[] => [
  { value: before, removed: true },
  { value: after, added: true },
];

/** Lines that were taken away and put in. When comparing takes too long, all were replaced. */
export const changedLines = (before: string, after: string): readonly Part[] => diffLines(before, after, { timeout: TIMEOUT_MS }) ?? replaced(before, after);

/** What was taken from a text and what was put into it. */
export function Diff({ before, after, label }: { readonly before: string; readonly after: string; readonly label: string }) {
  const parts = useMemo<readonly Part[]>(() => {
    const isLong = before.length + after.length > WORDS_LIMIT;
    return isLong ? changedLines(before, after) : (diffWordsWithSpace(before, after, { timeout: TIMEOUT_MS }) ?? replaced(before, after));
  }, [before, after]);
  return (
    <>
      <p className="diff-legend aside" aria-hidden="true">
        <del>taken away</del> <ins>put in</ins>
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="diff plain mono" tabIndex={0} role="region" aria-label={label} dir="auto">
        {parts.map(({ value, added, removed }, index) =>
          added ? (
            <ins key={index}>{visible(value)}</ins>
          ) : removed ? (
            <del key={index}>{visible(value)}</del>
          ) : (
            <span key={index}>{visible(shortened(value))}</span>
          ),
        )}
      </div>
    </>
  );
}

const CONTEXT = 400;

/** The middle of a long part that both have is left out. */
function shortened(text: string): string {
  return text.length <= 3 * CONTEXT
    ? text
    : `${text.slice(0, CONTEXT)}\n⋯ ${text.length - 2 * CONTEXT} characters that are the same ⋯\n${text.slice(-CONTEXT)}`;
}
