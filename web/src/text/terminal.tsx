import Anser from 'anser';
import { useMemo, useState } from 'react';
import { bytes } from '../app/words.ts';
import { Button } from '../ui/parts.tsx';
import { visible } from './deceiving.ts';

/** Parts of other colours that are laid out at once: a flood of colours is shown in steps, as a long text is. */
const PARTS = 2_000;
/** Characters that are read at once. */
const LENGTH = 30_000;

/** Output of a program with the colours and styles of ECMA-48 (SGR); other control sequences are left out. */
export function Terminal({ text }: { readonly text: string }) {
  const [length, setLength] = useState(LENGTH);
  const parts = useMemo(() => Anser.ansiToJson(text.slice(0, length), { json: true, use_classes: true, remove_empty: true }), [text, length]);
  const shown = parts.slice(0, Math.ceil((PARTS * length) / LENGTH));
  const isCut = text.length > length || shown.length < parts.length;
  return (
    <div className="plain mono" dir="auto">
      {shown.map(({ content, fg, bg, decorations }, index) => (
        <span key={index} className={classes(fg, bg, decorations)}>
          {visible(content)}
        </span>
      ))}
      {isCut && (
        <Button look="quiet" onClick={() => setLength(length * 4)}>
          Show more: {text.length > length ? `${bytes(text.length - length)} are left` : 'parts are left'}
        </Button>
      )}
    </div>
  );
}

/** Only names of the sixteen colours: others keep the colour of the text, which is readable in both themes. */
const NAMED = /^ansi-(?:bright-)?(?:black|red|green|yellow|blue|magenta|cyan|white)$/;

function classes(fg: string, bg: string, decorations: readonly string[]): string | undefined {
  const names = [
    ...(NAMED.test(fg) ? [`${fg.replace('bright-', '')}-fg`] : []),
    ...(NAMED.test(bg) ? [`${bg.replace('bright-', '')}-bg`] : []),
    ...decorations.map((name) => `ansi-${name}`),
  ];
  return names.length === 0 ? undefined : names.join(' ');
}
