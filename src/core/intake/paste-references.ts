import type { PastedContent } from './submission.js';

const REFERENCE = /\[(Pasted text|Image) #(\d{1,9})(?: \+\d{1,9} lines)?\]/g;

/**
 * Puts pasted texts in the place of their references. One pass over the typed text, so a reference inside a pasted text stays as it is; a number
 * nothing was pasted under stays as typed.
 */
export function expandPastedTexts(typed: string, pasted: Readonly<Record<string, PastedContent>>): string {
  return typed.replace(REFERENCE, (reference, kind: string, number: string) => {
    const content = pastedUnder(pasted, number);
    return kind === 'Pasted text' && content?.type === 'text' ? content.content : reference;
  });
}

/** Numbers of the pasted images the text still names; an image whose reference is gone was taken back by the person who typed. */
export function namedImages(typed: string, pasted: Readonly<Record<string, PastedContent>>): readonly string[] {
  const named = new Set<string>();
  for (const [, kind, number] of typed.matchAll(REFERENCE)) {
    if (kind === 'Image' && number !== undefined && pastedUnder(pasted, number)?.type === 'image') named.add(String(Number(number)));
  }
  return [...named];
}

function pastedUnder(pasted: Readonly<Record<string, PastedContent>>, number: string): PastedContent | undefined {
  const key = String(Number(number));
  return Object.hasOwn(pasted, key) ? pasted[key] : undefined;
}
