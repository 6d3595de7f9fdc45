import type { Draft } from '@verbatim/client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useKeys } from '../../app/keyboard.ts';
import { useQuery } from '../../app/router.tsx';
import { modelName } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Button } from '../../ui/parts.tsx';
import { BlockView } from './blocks.tsx';
import { useTranscript } from './context.tsx';
import { hasActions, isContinuedBy, type Item } from './items.ts';
import { Message } from './message.tsx';
import { FilesOf } from './turn-files.tsx';
import { useStayAtEnd } from './stay-at-end.ts';

interface Props {
  readonly items: readonly Item[];
  readonly draft: Draft | null;
  readonly isRunning: boolean;
  /** It begins at its first message, and stays where the reader is. */
  readonly isReadFromStart?: boolean;
  /** Uuid of the prompt that is being edited. */
  readonly edited?: string | null;
  /** Prompts that the reader has sent: each leads to the end. */
  readonly sent?: number;
}

/** So many pixels from the end, a button leads there. */
const FAR = 400;

interface Row {
  readonly key: string;
  /** Null: the answer that is being written. */
  readonly item: Item | null;
}

/** The answer that is written and the message that takes its place are one row, by their request: a row of another height in between would move the reader. */
function rowsOf(items: readonly Item[], hasDraft: boolean, request: string | undefined): readonly Row[] {
  const requests = new Set<string>();
  const rows = items.map((item): Row => {
    const of = item.from === 0 && item.message.type === 'assistant' ? item.message.requestId : undefined;
    if (of === undefined || requests.has(of)) return { key: item.key, item };
    requests.add(of);
    return { key: `request ${of}`, item };
  });
  if (!hasDraft) return rows;
  return [...rows, { key: request === undefined || requests.has(request) ? 'draft' : `request ${request}`, item: null }];
}

/** The transcript, of which only the rows in view are laid out. It stays at the end while answers arrive, unless the reader has scrolled away from it. */
export function TranscriptView({ items, draft, isRunning, isReadFromStart = false, edited = null, sent = 0 }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useQuery('message');
  const hasDraft = draft !== null || isRunning;
  const request = draft?.requestId;
  const rows = useMemo(() => rowsOf(items, hasDraft, request), [items, hasDraft, request]);
  // The places of all rows are computed again for another function.
  const getItemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows]);
  const isPrinting = useIsPrinting();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 120,
    getItemKey,
    overscan: 6,
    anchorTo: isReadFromStart ? 'start' : 'end',
    followOnAppend: !isReadFromStart,
    paddingStart: 4,
    paddingEnd: 16,
  });
  const index = selected === null ? -1 : items.findIndex(({ key }) => key === selected);
  const hasItems = items.length > 0;
  const isFound = index >= 0;
  // The end first; or the message that the URL names, as soon as it is there.
  useLayoutEffect(() => {
    if (hasItems && !isFound && !isReadFromStart) virtual.scrollToEnd();
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [hasItems]);
  const byKeys = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (isFound && selected !== byKeys.current) virtual.scrollToIndex(index, { align: 'center' });
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isFound, selected]);
  useStayAtEnd(scroller, !isReadFromStart && selected === null, sent);
  const select = (step: number): void => {
    const next = Math.min(items.length - 1, Math.max(0, index < 0 ? items.length - 1 : index + step));
    byKeys.current = items[next]?.key ?? null;
    setSelected(byKeys.current);
    virtual.scrollToIndex(next, { align: 'auto' });
  };
  useKeys({ j: () => select(1), k: () => select(-1) });

  const shown = isPrinting ? rows.map(({ key }, at) => ({ key, index: at, start: 0 })) : virtual.getVirtualItems();
  // From what the virtualizer knows: to ask the element would lay out the page a second time in each frame of a scroll.
  const isAway = virtual.getTotalSize() - (virtual.scrollOffset ?? Infinity) - (virtual.scrollRect?.height ?? 0) > FAR;
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="transcript" ref={scroller} tabIndex={0} role="log" aria-label="Conversation" aria-live="off">
        <div className="rows" style={{ height: virtual.getTotalSize() }}>
          <div style={{ transform: `translateY(${shown[0]?.start ?? 0}px)` }}>
            {shown.map(({ key, index: at }) => (
              <div key={key} data-index={at} ref={virtual.measureElement} className="row">
                {rows[at]?.item ? (
                  <Message item={rows[at].item} isSelected={rows[at].item.key === selected || rows[at].item.key === edited} />
                ) : (
                  <DraftView draft={draft} isContinued={isContinuedBy(items.at(-1)?.message)} />
                )}
                {rows[at]?.item?.isLast && !hasActions(rows[at].item) && <FilesOf uuid={rows[at].item.message.uuid} />}
              </div>
            ))}
          </div>
        </div>
      </div>
      {isAway && (
        <Button className="to-end" aria-label="Newest" title="Newest" onClick={() => virtual.scrollToEnd()}>
          <Icon name="newest" />
        </Button>
      )}
    </>
  );
}

/** A printed page has all rows, not those in view. */
function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const begin = (): void => flushSync(() => setPrinting(true));
    const end = (): void => setPrinting(false);
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}

/** `isContinued`: it follows a step of the same answer, which has the head. */
function DraftView({ draft, isContinued }: { readonly draft: Draft | null; readonly isContinued: boolean }) {
  const { turn } = useTranscript();
  const request = turn?.requests.find(({ requestId }) => requestId === draft?.requestId) ?? turn?.requests.at(-1);
  return (
    <article className={`message answer draft ${isContinued ? 'continued' : ''}`} aria-label="Answer, being written" aria-busy="true">
      {request !== undefined && !isContinued && (
        <header>
          <strong>{visible(modelName(request.model))}</strong>
        </header>
      )}
      {draft?.blocks.map((block, index) => (
        <BlockView key={index} block={block} isModel isDraft={index === draft.blocks.length - 1} requestId={draft.requestId} />
      ))}
      {(draft?.blocks.length ?? 0) === 0 && <span className="aside">The answer is being written </span>}
      <span className="typing" aria-hidden="true" />
    </article>
  );
}
