import { useState } from 'react';
import { Button } from '../ui/parts.tsx';
import { bytes } from '../app/words.ts';

/** Characters that change the order or the look of the text around them, or hide: they are shown by their number. */
const DECEIVING = /[^\P{Cc}\t\n\r]|[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

export function visible(text: string): string {
  return text.replace(DECEIVING, (character) => `⟦U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟧`);
}

/** Longest text that is laid out at once; a click shows as much again, and more each time. */
export const TEXT_LIMIT = 30_000;

/** A text as it is, however long. */
export function Plain({ text, className = '' }: { readonly text: string; readonly className?: string }) {
  const [limit, setLimit] = useState(TEXT_LIMIT);
  return (
    <div className={`plain ${className}`} dir="auto">
      {visible(text.slice(0, limit))}
      {text.length > limit && (
        <Button look="quiet" onClick={() => setLimit(limit * 4)}>
          Show more: {bytes(text.length - limit)} are left
        </Button>
      )}
    </div>
  );
}
