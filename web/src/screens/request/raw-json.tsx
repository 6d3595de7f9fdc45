import { useState } from 'react';
import { bytes } from '../../app/words.ts';
import { escaped } from '../../text/deceiving.ts';
import { Button } from '../../ui/parts.tsx';

/** Characters that are laid out at once. */
const LIMIT = 200_000;

/** A payload as JSON, a line of it an element: a wrapped line continues below its own beginning, so that what is inside of what stays in sight. */
export function RawJson({ value, label }: { readonly value: unknown; readonly label: string }) {
  const [limit, setLimit] = useState(LIMIT);
  const text = escaped(JSON.stringify(value, null, 2));
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className="json by-line" tabIndex={0} aria-label={label}>
        {text
          .slice(0, limit)
          .split('\n')
          .map((line, index) => (
            <Line key={index} line={line} />
          ))}
      </pre>
      {text.length > limit && (
        <Button look="quiet" onClick={() => setLimit(limit * 4)}>
          Show more: {bytes(text.length - limit)} are left
        </Button>
      )}
    </>
  );
}

function Line({ line }: { readonly line: string }) {
  const [, space = '', name = '', rest = line] = /^( *)("(?:[^"\\]|\\.)*": )?(.*)$/.exec(line) ?? [];
  const indent = `${space.length + 2}ch`;
  return (
    <bdi style={{ paddingLeft: indent, textIndent: `-${indent}` }}>
      {space}
      {name !== '' && <span className="hljs-attr">{name}</span>}
      <span className={rest.startsWith('"') ? 'hljs-string' : /^[-\d]/.test(rest) ? 'hljs-number' : undefined}>{rest}</span>
    </bdi>
  );
}
