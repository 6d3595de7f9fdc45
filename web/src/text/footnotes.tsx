import { createContext, type MouseEvent, use } from 'react';
import type { Token } from 'marked';
import { visible } from './deceiving.ts';
import type { FootnoteToken } from './syntax.ts';

/** Labels that the text explains: what looks like the mark of a footnote elsewhere, as a class of characters does, is text. */
export const Footnotes = createContext<ReadonlySet<string>>(new Set());

export const labelsOf = (tokens: readonly Token[]): ReadonlySet<string> =>
  new Set(tokens.flatMap((token) => (token.type === 'footnote' ? [(token as FootnoteToken).label] : [])));

/** The mark of a footnote, which leads to it. */
export function FootnoteMark({ label, raw }: { readonly label: string; readonly raw: string }) {
  if (!use(Footnotes).has(label)) return visible(raw);
  const go = ({ currentTarget }: MouseEvent): void => {
    const notes = [...(currentTarget.closest('.markdown')?.querySelectorAll<HTMLElement>('[data-footnote]') ?? [])];
    notes.find(({ dataset }) => dataset['footnote'] === label)?.focus();
  };
  return (
    <sup>
      <button type="button" className="footnote-mark" aria-label={`Footnote ${visible(label)}`} onClick={go}>
        {visible(label)}
      </button>
    </sup>
  );
}
