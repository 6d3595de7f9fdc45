import { type RefObject, useEffect } from 'react';

/** How near to its end a transcript counts as read to the end. */
const NEAR = 60;

/** Keeps the end of the transcript in view when its height changes: what opens below it, such as the answer of a command, does not cover the newest message. */
export function useStayAtEnd(scroller: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = scroller.current!;
    let height = element.clientHeight;
    const observer = new ResizeObserver(() => {
      if (element.clientHeight === height) return;
      const wasAtEnd = element.scrollHeight - element.scrollTop - height < NEAR;
      height = element.clientHeight;
      if (wasAtEnd) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
}
