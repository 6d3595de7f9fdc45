import { type RefObject, useEffect, useRef } from 'react';

/** How near to its end a transcript counts as read to the end. */
const NEAR = 60;

/**
 * Keeps the end of the transcript in view while the reader is there: when answers grow, and when what opens below it, such as the answer of a command, makes it
 * lower. A reader who scrolls up stays where they are, until they come back to the end or have `sent` a prompt of their own.
 * `starts`: whether it begins at its end. `sent`: counts prompts of the reader.
 */
export function useStayAtEnd(scroller: RefObject<HTMLElement | null>, starts: boolean, sent: number): void {
  const follows = useRef(starts);
  useEffect(() => {
    const element = scroller.current!;
    let before = element.scrollTop;
    const toEnd = (): void => {
      if (follows.current) element.scrollTop = element.scrollHeight;
    };
    const onScroll = (): void => {
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
      if (isAtEnd) follows.current = true;
      else if (element.scrollTop < before) follows.current = false; // rows that grow move nothing up: the reader did
      before = element.scrollTop;
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    const observer = new ResizeObserver(toEnd);
    for (const one of [element, ...element.children]) observer.observe(one);
    return () => {
      element.removeEventListener('scroll', onScroll);
      observer.disconnect();
    };
  }, [scroller]);
  useEffect(() => {
    if (sent === 0) return;
    follows.current = true;
    scroller.current!.scrollTop = scroller.current!.scrollHeight;
  }, [scroller, sent]);
}
