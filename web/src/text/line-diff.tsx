import { useMemo, useState } from 'react';
import { Button } from '../ui/parts.tsx';
import { visible } from './deceiving.ts';
import { changedLines } from './diff.tsx';

/** Lines that are laid out at once. */
const LINES = 400;

interface Line {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}

/** A change of code, line by line, as version control shows it. */
export function LineDiff({ before, after, label }: { readonly before: string; readonly after: string; readonly label: string }) {
  const lines = useMemo(() => linesOf(before, after), [before, after]);
  const [limit, setLimit] = useState(LINES);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="diff lines plain mono" tabIndex={0} role="group" aria-label={label}>
      {lines.slice(0, limit).map(({ sign, text }, index) => {
        const content = `${sign} ${visible(text)}`;
        return sign === '+' ? <ins key={index}>{content}</ins> : sign === '-' ? <del key={index}>{content}</del> : <span key={index}>{content}</span>;
      })}
      {lines.length > limit && (
        <Button look="quiet" onClick={() => setLimit(limit * 4)}>
          Show more: {lines.length - limit} lines are left
        </Button>
      )}
    </div>
  );
}

function linesOf(before: string, after: string): readonly Line[] {
  const parts = changedLines(ended(before), ended(after));
  return parts.flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .filter((_, index, all) => all.length > 1 || value !== '' || index > 0)
      .map((text): Line => ({ sign: added ? '+' : removed ? '-' : ' ', text })),
  );
}

/** A last line without its end is the same line as one with it. */
const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
