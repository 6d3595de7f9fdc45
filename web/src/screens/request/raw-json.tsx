import { escaped } from '../../text/deceiving.ts';
import { InParts } from '../../ui/parts.tsx';

/** Characters that are laid out at once. */
const LIMIT = 200_000;

/** A payload as JSON, a line of it an element: a wrapped line continues below its own beginning, so that what is inside of what stays in sight. */
export function RawJson({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    <InParts text={escaped(JSON.stringify(value, null, 2))} size={LIMIT}>
      {(part) => (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre className="json by-line" tabIndex={0} aria-label={label}>
          {part.split('\n').map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </pre>
      )}
    </InParts>
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
