import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useKeys } from '../../app/keyboard.ts';
import { useQuery } from '../../app/router.tsx';
import { count, plural } from '../../app/words.ts';
import { Button, Copy, Empty, Json } from '../../ui/parts.tsx';
import { RawBoundary } from '../../ui/raw.tsx';
import { type Action, ACTIONS, align, type Payload, type SentRequest, shownRows } from './align.ts';
import { BlockRow } from './block-row.tsx';
import { withoutBytes } from './describe.ts';
import { RawJson } from './raw-json.tsx';

export type Viewed = Pick<SentRequest, 'original' | 'trace'> & { readonly payload: Payload };

interface Props {
  /** Of the stored messages; null: they are stored nowhere. */
  readonly sessionId: string | null;
  readonly request: Viewed;
  /** What the sides are called. */
  readonly labels: readonly [left: string, right: string];
  readonly head: ReactNode;
  readonly tools: ReactNode;
}

/** Messages beside the payload that was made of them, block by block. */
export function RequestView({ sessionId, request, labels, head, tools }: Props) {
  const [raw, setRaw] = useQuery('raw');
  const [show, setShow] = useQuery('show');
  const [open, setOpen] = useQuery('block');
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => align(request), [request]);
  const counts = useMemo(() => countsOf(rows.flatMap(({ entries }) => [...new Set(entries.map(({ action }) => action))])), [rows]);
  const actions = useMemo(() => [...new Set([...ACTIONS, ...counts.keys()])].filter((action) => counts.has(action)), [counts]);
  const chosen = useMemo(() => new Set((show ?? '').split(',').filter((one): one is Action => counts.has(one as Action))), [show, counts]);
  const shown = useMemo(() => shownRows(rows, chosen, unfolded), [rows, chosen, unfolded]);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 110,
    getItemKey: (index) => keyOf(shown[index]!),
    overscan: 6,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  const toggle = (action: Action): void => {
    const next = new Set(chosen);
    if (!next.delete(action)) next.add(action);
    setShow([...next].join(','));
  };
  const step = (by: number): void => {
    const places = shown.flatMap((one, index) => ('row' in one && one.row.entry.action !== 'kept' ? [index] : []));
    const now = shown.findIndex((one) => 'row' in one && one.row.key === open);
    const next = by > 0 ? places.find((place) => place > now) : places.findLast((place) => place < now);
    const target = next === undefined ? undefined : shown[next];
    if (next === undefined || !target || !('row' in target)) return;
    setOpen(target.row.key);
    virtual.scrollToIndex(next, { align: 'center' });
  };
  useKeys({ j: () => step(1), k: () => step(-1) });
  // A block that another part of the page has opened is unfolded, and scrolled to.
  useEffect(() => {
    if (open === null) return;
    const at = shown.findIndex((one) => ('row' in one ? one.row.key === open : one.fold.some(({ key }) => key === open)));
    const found = shown[at];
    if (found && 'fold' in found) setUnfolded((before) => new Set([...before, found.fold[0]!.key]));
    else if (at >= 0 && !virtual.getVirtualItems().some(({ index }) => index === at)) virtual.scrollToIndex(at, { align: 'center' });
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [open, shown]);
  const items = virtual.getVirtualItems();
  const margin = list.current?.offsetTop ?? 0;
  return (
    <div className="page request" ref={scroller}>
      {head}
      <div className="bar">
        <div className="chips" role="group" aria-label="Show blocks by what happened to them">
          {(raw === null ? actions : []).map((action) => (
            <button key={action} type="button" className={`chip ${action}`} aria-pressed={chosen.has(action)} onClick={() => toggle(action)}>
              {action} {count(counts.get(action) ?? 0)}
            </button>
          ))}
        </div>
        {raw !== null && sessionId !== null && <Copy text={() => JSON.stringify(request.payload, null, 2)} label="Copy as JSON" />}
        <span className="spacer" />
        <div className="bar-end">
          <Button aria-pressed={raw !== null} onClick={() => setRaw(raw === null ? '1' : null)}>
            Raw JSON
          </Button>
          {tools}
        </div>
      </div>
      {raw !== null ? (
        <RawJson value={withoutBytes(request.payload)} label="Payload" />
      ) : (
        <div className="blocks">
          <div className="pair-head" aria-hidden="true">
            <span>{labels[0]}</span>
            <span>{labels[1]}</span>
          </div>
          <Preamble request={request} />
          {rows.length === 0 && <Empty title="No blocks" />}
          <div className="rows" ref={list} style={{ height: virtual.getTotalSize() }}>
            {items.map(({ key, index, start }) => {
              const one = shown[index]!;
              return (
                <div key={key} data-index={index} ref={virtual.measureElement} className="virtual" style={{ transform: `translateY(${start - margin}px)` }}>
                  {'row' in one ? (
                    <RawBoundary title="block" value={one.row}>
                      <BlockRow
                        sessionId={sessionId}
                        labels={labels}
                        row={one.row}
                        isOpen={open === one.row.key}
                        onToggle={() => setOpen(open === one.row.key ? null : one.row.key)}
                      />
                    </RawBoundary>
                  ) : (
                    <button type="button" className="fold" onClick={() => setUnfolded(new Set([...unfolded, one.fold[0]!.key]))}>
                      {plural(one.fold.length, 'block')} sent as stored · show
                    </button>
                  )}
                </div>
              );
            })}
          </div>
        </div>
      )}
    </div>
  );
}

/** What precedes the messages: made of the settings of the session and the tenant. */
function Preamble({ request: { payload } }: { readonly request: Viewed }) {
  return (
    <>
      {payload.system && (
        <details className="preamble">
          <summary>
            System prompt: {plural(payload.system.length, 'block')},{' '}
            {plural(
              payload.system.reduce((sum, { text }) => sum + text.length, 0),
              'character',
            )}
          </summary>
          <Json value={payload.system} label="System prompt" />
        </details>
      )}
      {payload.tools && (
        <details className="preamble">
          <summary>
            {plural(payload.tools.length, 'tool')}
            <span className="not-phone">
              :{' '}
              {payload.tools
                .map(({ name }) => name)
                .join(', ')
                .slice(0, 200)}
            </span>
          </summary>
          <Json value={payload.tools} label="Tools" />
        </details>
      )}
    </>
  );
}

const keyOf = (one: ReturnType<typeof shownRows>[number]): string => ('row' in one ? one.row.key : `fold ${one.fold[0]!.key}`);

/** Actions that this page does not know are counted as well. */
function countsOf(actions: readonly Action[]): ReadonlyMap<Action, number> {
  const counts = new Map<Action, number>();
  for (const action of actions) counts.set(action, (counts.get(action) ?? 0) + 1);
  return counts;
}
