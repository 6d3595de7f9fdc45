import type { Conversation, Present } from '@verbatim/client';
import { useCallback, useEffect, useRef } from 'react';
import { visible } from '../../text/plain.tsx';

/** Before the server's announcement ends (PRESENCE_MS, half a minute). */
const REPEAT_MS = 20_000;
/** Without a key for so long a user does not write any more. */
const TYPING_MS = 5_000;
/** With more people than that, a new one learns of the others when they repeat their announcement: answers to each would be too many. */
const ANSWERED = 10;

/**
 * Tells the others in a conversation that the user reads or writes; silent while there are no others, so that a private conversation costs nothing.
 * The returned function is called while the user writes.
 */
export function usePresence(conversation: Conversation, isLive: boolean, hasOthers: boolean, others: number): () => void {
  const isActive = isLive && hasOthers;
  const typing = useRef(0);
  const announced = useRef<'reading' | 'typing' | null>(null);
  const say = useCallback(
    (state: 'reading' | 'typing') => {
      if (document.visibilityState !== 'visible') return;
      announced.current = state;
      // The next repetition replaces one that failed.
      conversation.announce(state).catch(() => {});
    },
    [conversation],
  );
  useEffect(() => {
    if (!isActive) return;
    const repeat = (): void => say(typing.current === 0 ? 'reading' : 'typing');
    repeat();
    const timer = setInterval(repeat, REPEAT_MS);
    document.addEventListener('visibilitychange', repeat);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', repeat);
      announced.current = null;
      conversation.announce('left').catch(() => {});
    };
  }, [isActive, conversation, say]);
  // Who comes is answered, so that they need not wait for the next repetition.
  const known = useRef(others);
  useEffect(() => {
    const hasGrown = others > known.current;
    known.current = others;
    if (isActive && hasGrown && others <= ANSWERED) say(typing.current === 0 ? 'reading' : 'typing');
  }, [isActive, others, say]);
  useEffect(() => () => clearTimeout(typing.current), []);
  return useCallback(() => {
    clearTimeout(typing.current);
    typing.current = window.setTimeout(() => {
      typing.current = 0;
      if (announced.current === 'typing') say('reading');
    }, TYPING_MS);
    if (announced.current === 'reading') say('typing');
  }, [say]);
}

const SHOWN = 5;

export function PresenceLine({ others }: { readonly others: readonly Present[] }) {
  const writing = others.filter(({ state }) => state === 'typing');
  const reading = others.filter(({ state }) => state !== 'typing');
  const words = [inWords(writing, 'writes', 'write'), inWords(reading, 'reads', 'read')].filter((part) => part !== '').join(' · ');
  return (
    <p className="presence" role="status">
      {words}
    </p>
  );
}

function inWords(people: readonly Present[], one: string, many: string): string {
  if (people.length === 0) return '';
  const names = people.slice(0, SHOWN).map(({ name }) => visible(name));
  const rest = people.length - names.length;
  return `${[...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')} ${people.length === 1 ? one : many}`;
}
