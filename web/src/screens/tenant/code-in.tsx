import { visible } from '../../text/plain.tsx';

/** A text of one line whose parts between backticks are code. */
export function CodeIn({ text }: { readonly text: string }) {
  const parts = text.split('`');
  // Without its pair, the last backtick is a character as others are.
  if (parts.length % 2 === 0) parts.push(`${parts.splice(-2, 1)[0]}\`${parts.pop()}`);
  return parts.map((part, at) => {
    const key = `${at} ${part}`;
    return at % 2 === 1 ? <code key={key}>{visible(part)}</code> : <span key={key}>{visible(part)}</span>;
  });
}
