import { useState } from 'react';
import { Button } from '../ui/parts.tsx';
import { bytes } from '../app/words.ts';
import { visible } from './deceiving.ts';

export { visible } from './deceiving.ts';

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
