import type { PastedContent, StoredPastedImage } from '../../../packages/protocol/message/submission.js';

type Pasted = Readonly<Record<string, PastedContent | StoredPastedImage>>;

const REFERENCE = /\[(Pasted text|Image) #(\d{1,9})(?: \+\d{1,9} lines)?\]/g;

/**
 * Replaces references by the pasted texts, in one pass: references inside a pasted text and references without a paste stay unchanged.
 */
export function expandPastedTexts(typed: string, pasted: Pasted): string {
  return typed.replace(REFERENCE, (reference, kind: string, number: string) => pastedText(pasted, kind, number) ?? reference);
}

/** Length of the expanded text, computed without expanding: a few kilobytes of references to one long text can exceed the memory. */
export function expandedLength(typed: string, pasted: Pasted): number {
  let length = typed.length;
  for (const [reference, kind = '', number = ''] of typed.matchAll(REFERENCE)) {
    const text = pastedText(pasted, kind, number);
    if (text !== undefined) length += text.length - reference.length;
  }
  return length;
}

/** Numbers of the pasted images that the text refers to; an image without a reference was removed by the user. */
export function namedImages(typed: string, pasted: Pasted): readonly string[] {
  const named = new Set<string>();
  for (const [, kind, number] of typed.matchAll(REFERENCE)) {
    if (kind === 'Image' && number !== undefined && pastedUnder(pasted, number)?.type === 'image') named.add(String(Number(number)));
  }
  return [...named];
}

function pastedText(pasted: Pasted, kind: string, number: string): string | undefined {
  const content = kind === 'Pasted text' ? pastedUnder(pasted, number) : undefined;
  return content?.type === 'text' && 'content' in content ? content.content : undefined;
}

function pastedUnder(pasted: Pasted, number: string): PastedContent | StoredPastedImage | undefined {
  const key = String(Number(number));
  return Object.hasOwn(pasted, key) ? pasted[key] : undefined;
}
