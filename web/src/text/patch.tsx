import { useMemo, useState } from 'react';
import { Button } from '../ui/parts.tsx';
import { visible } from './deceiving.ts';

/** Lines that are laid out at once. */
const LINES = 400;

/** A unified diff as it is, without the lines that name its files. A long one is laid out in parts. */
export function Patch({ text, label }: { readonly text: string; readonly label: string }) {
  const lines = useMemo(
    () =>
      text
        .slice(Math.max(0, text.search(/^@@/m)))
        .replace(/\n$/, '')
        .split('\n'),
    [text],
  );
  const [limit, setLimit] = useState(LINES);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="diff lines plain mono" tabIndex={0} role="group" aria-label={label}>
      {lines.slice(0, limit).map((line, index) => {
        const content = visible(line);
        if (line.startsWith('+')) return <ins key={index}>{content}</ins>;
        if (line.startsWith('-')) return <del key={index}>{content}</del>;
        return (
          <span key={index} className={line.startsWith('@@') ? 'aside' : undefined}>
            {content}
          </span>
        );
      })}
      {lines.length > limit && (
        <Button look="quiet" onClick={() => setLimit(limit * 4)}>
          Show more: {lines.length - limit} lines are left
        </Button>
      )}
    </div>
  );
}
