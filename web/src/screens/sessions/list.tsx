import type { SessionListItem } from '@verbatim/client';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useCommands } from '../../app/commands.ts';
import { mayBegin } from '../../app/welcome.tsx';
import { useKeys } from '../../app/keyboard.ts';
import { navigate, useLocation } from '../../app/router.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Button, ErrorNote, Loading } from '../../ui/parts.tsx';
import { BulkBar } from './bulk.tsx';
import { FilterBar, FilterChips } from './filters.tsx';
import { foldersOf } from './folder-form.tsx';
import { linesOf } from './groups.ts';
import type { NewSession } from './new-session.ts';
import { Hits } from './hits.tsx';
import { NoRows } from './no-rows.tsx';
import { SessionMenu } from './menu.tsx';
import { SessionRow } from './row.tsx';
import { useChosen } from './use-chosen.ts';
import { countOf, useFilters } from './use-filters.ts';
import { useRows } from './use-rows.ts';
import { useSessions } from './use-sessions.ts';

interface Props {
  readonly selected: string | null;
  readonly create: NewSession;
}

/** All conversations that the user may see. */
export function SessionList({ selected, create }: Props) {
  const { client, me } = useAccount();
  const [filters, setFilters] = useFilters();
  const [words, setWords] = useState('');
  const [isFiltering, setFiltering] = useState(false);
  const [menu, setMenu] = useState<{ readonly row: SessionListItem; readonly at: HTMLElement } | null>(null);
  const sessions = useSessions(client, me.userId, filters);
  const { rows, waiting, pinned, isComplete, isLoading, more } = sessions;
  const chosen = useChosen([...rows, ...waiting, ...pinned]);
  const field = useRef<HTMLInputElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const { path } = useLocation();
  const lines = useMemo(() => linesOf({ rows, waiting, pinned }), [rows, waiting, pinned]);
  const pins = useMemo(() => new Set(pinned.map(({ id }) => id)), [pinned]);
  const virtual = useRows(lines, scroller, selected);
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= lines.length - 20) more();
  }, [last, lines.length, more]);

  const openMenu = useCallback((row: SessionListItem, at: HTMLElement) => setMenu({ row, at }), []);
  const index = lines.findIndex(({ key }) => key === selected);
  const [focus, setFocus] = useState<number | null>(null);
  const step = (by: number): void => {
    let next = (focus ?? index) + by;
    // The head of a group is passed.
    while ('head' in (lines[next] ?? {})) next += by;
    if (lines[next] === undefined) return;
    setFocus(next);
    virtual.scrollToIndex(next, { align: 'auto' });
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"] a`)?.focus());
  };
  const focused = focus === null ? undefined : lines[focus];
  const isList = path === '/';
  useKeys(
    isList
      ? {
          j: () => step(1),
          k: () => step(-1),
          '/': () => field.current?.focus(),
          x: () => focused && 'row' in focused && chosen.turn(focused.key),
          Enter: () => focused && 'row' in focused && navigate(`/sessions/${focused.key}`),
        }
      : {},
  );

  useCommands('This page', isList && mayBegin(me) ? [{ label: 'Select several conversations', run: chosen.begin }] : []);

  const count = countOf(filters);
  const mayCreate = mayBegin(me);
  const isEmpty = lines.length === 0 && isComplete;
  return (
    <div className="list" {...(isList ? { role: 'main', id: 'main', tabIndex: -1 } : { role: 'complementary' })} aria-label="Conversations">
      {isList && <h1 className="hidden">Conversations</h1>}
      <div className="list-head">
        <div className="search">
          <Icon name="search" />
          <input
            ref={field}
            type="search"
            value={words}
            placeholder="Search"
            aria-label="Search titles and texts"
            onChange={(event) => setWords(event.target.value)}
            onKeyDown={(event) => event.key === 'Escape' && (words === '' ? field.current?.blur() : setWords(''))}
          />
          <button
            type="button"
            className="round"
            aria-label={count > 0 ? `Filter (${count})` : 'Filter'}
            title="Filter"
            aria-expanded={isFiltering}
            aria-pressed={count > 0}
            onClick={() => setFiltering(!isFiltering)}
          >
            <Icon name="filter" />
          </button>
        </div>
        {mayCreate && (
          <button
            type="button"
            className="round"
            aria-label="Select several"
            title="Select several"
            aria-pressed={chosen.rows !== null}
            onClick={chosen.rows === null ? chosen.begin : chosen.end}
          >
            <Icon name="select" />
          </button>
        )}
        {mayCreate && (
          <Button look="primary" aria-label="New conversation" disabled={create.isBusy} onClick={() => void create.run()}>
            <Icon name="plus" /> New
          </Button>
        )}
      </div>
      {isFiltering && <FilterBar filters={filters} onChange={setFilters} rows={rows} onClose={() => setFiltering(false)} />}
      {!isFiltering && count > 0 && <FilterChips filters={filters} onChange={setFilters} />}
      {chosen.rows !== null && (
        <BulkBar
          rows={chosen.rows}
          isPinned={(id) => pins.has(id)}
          onAll={chosen.all}
          folders={foldersOf(rows)}
          onEnd={chosen.end}
          onDone={chosen.drop}
          onChanged={sessions.reload}
        />
      )}
      <ErrorNote error={create.error} />
      <ErrorNote error={sessions.error} onRetry={sessions.reload} />
      {words.trim() !== '' ? (
        <Hits
          words={words.trim()}
          onClear={() => {
            setWords('');
            field.current?.focus();
          }}
        />
      ) : (
        <div className="list-scroll" ref={scroller}>
          {isEmpty && <NoRows isFiltered={count > 0} mayCreate={mayCreate} create={create} />}
          {rows.length === 0 && isLoading && <Loading what="conversations" />}
          <ul className="rows" style={{ height: virtual.getTotalSize() }}>
            {shown.map(({ key, index: at, start }) => {
              const line = lines[at]!;
              return (
                <li key={key} data-index={at} ref={virtual.measureElement} style={{ transform: `translateY(${start}px)` }}>
                  {'head' in line ? (
                    <h2 className="list-group">{line.head}</h2>
                  ) : (
                    <SessionRow
                      row={line.row}
                      isSelected={line.row.id === selected}
                      isPinned={pins.has(line.row.id)}
                      isMenuOpen={line.row.id === menu?.row.id}
                      isChecked={chosen.rows === null ? null : chosen.has(line.row.id)}
                      onCheck={chosen.turn}
                      onMenu={openMenu}
                    />
                  )}
                </li>
              );
            })}
          </ul>
        </div>
      )}
      {menu && (
        <SessionMenu
          {...menu}
          beginning={menu.row.firstText}
          folders={foldersOf(rows)}
          isPinned={pins.has(menu.row.id)}
          onClose={() => setMenu(null)}
          onChanged={sessions.reload}
        />
      )}
    </div>
  );
}
