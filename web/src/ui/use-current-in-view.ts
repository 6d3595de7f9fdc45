import { type RefObject, useEffect, useRef } from 'react';

/** For a row of links that a narrow screen scrolls: brings the current one into view, and says at which edges the row is cut. Only the row moves. */
export function useCurrentInView<T extends HTMLElement>(current: string): RefObject<T | null> {
  const row = useRef<T>(null);
  useEffect(() => {
    const element = row.current;
    if (element === null) return;
    const link = element.querySelector<HTMLElement>('[aria-current=page]');
    if (link) element.scrollLeft = link.offsetLeft - (element.clientWidth - link.offsetWidth) / 2;
    const mark = (): void => {
      const left = element.scrollWidth - element.clientWidth - element.scrollLeft;
      element.classList.toggle('cut-before', element.scrollLeft > 1);
      element.classList.toggle('cut-after', left > 1);
    };
    mark();
    const observer = new ResizeObserver(mark);
    observer.observe(element);
    element.addEventListener('scroll', mark, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', mark);
    };
  }, [current]);
  return row;
}
