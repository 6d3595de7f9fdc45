import { measureElement, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useRef } from 'react';
import type { Line } from './groups.ts';

const ROW_HEIGHT = 74;
const HEAD_HEIGHT = 34;

/** A narrow window hides the list: its rows keep their height meanwhile, or the list would be at its end when it is shown again. */
const heightOf: typeof measureElement<Element> = (element, entry, instance) =>
  element.checkVisibility() ? measureElement(element, entry, instance) : (instance.measurementsCache[instance.indexFromElement(element)]?.size ?? ROW_HEIGHT);

/** Lays out the lines of the list that are in view. The open conversation is brought into view, once, as soon as it is listed. */
export function useRows(lines: readonly Line[], scroller: RefObject<HTMLDivElement | null>, selected: string | null): Virtualizer<HTMLDivElement, Element> {
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => ('head' in (lines[at] ?? {}) ? HEAD_HEIGHT : ROW_HEIGHT),
    measureElement: heightOf,
    getItemKey: (index) => lines[index]?.key ?? index,
    overscan: 8,
  });
  const index = lines.findIndex(({ key }) => key === selected);
  const brought = useRef<string | null>(null);
  useEffect(() => {
    if (index < 0 || brought.current === selected || !scroller.current?.checkVisibility()) return;
    brought.current = selected;
    virtual.scrollToIndex(index, { align: 'auto' });
  }, [index, selected, scroller, virtual]);
  return virtual;
}
