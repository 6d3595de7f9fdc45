import type { Client, SessionListItem } from '@verbatim/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { onSessionChanges } from '../../app/changes.ts';
import { noteTitles } from './titles.ts';
import type { Lists } from './groups.ts';

export interface Filters {
  /** `own`, `shared` with the user, or all of the `tenant`, without titles and texts; null: own. */
  readonly scope: string | null;
  readonly status: string | null;
  readonly user: string | null;
  readonly model: string | null;
  /** A day: changed on it or later. */
  readonly since: string | null;
  readonly folder: string | null;
  readonly archived: boolean;
}

export interface Sessions extends Lists {
  readonly isComplete: boolean;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly more: () => void;
  readonly reload: () => void;
}

const PAGE = 100;

/** Says that the user has pinned or unpinned a conversation on this page; no stream does. */
export const pinChanges = new EventTarget();

/** The session list, newest change first, page by page, kept up to date by the stream of changes. */
export function useSessions(client: Client, ownId: string, filters: Filters): Sessions {
  const [rows, setRows] = useState<readonly SessionListItem[]>([]);
  const [top, setTop] = useState<Top>(NOTHING);
  const [state, setState] = useState<{ readonly isLoading: boolean; readonly error: unknown; readonly cursor: string | null }>({
    isLoading: true,
    error: null,
    cursor: null,
  });
  const [round, setRound] = useState(0);
  const key = JSON.stringify(filters);
  const current = useRef('');

  const load = useCallback(
    async (cursor: string | null, of: string) => {
      setState((before) => ({ ...before, isLoading: true, error: null }));
      try {
        const [{ data, nextCursor }, first] = await Promise.all([
          client.listSessions({ ...queryOf(filters), limit: PAGE, ...(cursor === null ? {} : { cursor }) }),
          cursor === null ? topOf(client, filters) : null,
        ]);
        if (current.current !== of) return;
        if (first !== null) setTop(first);
        setRows((before) => (cursor === null ? withRows(data, before) : merged(before, data)));
        setState({ isLoading: false, error: null, cursor: nextCursor });
      } catch (error) {
        if (current.current === of) setState((before) => ({ ...before, isLoading: false, error }));
      }
    },
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [client, key],
  );

  useEffect(() => {
    current.current = `${key} ${round}`;
    setRows([]);
    setTop(NOTHING);
    void load(null, current.current);
  }, [key, load, round]);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    /** What changed after the list was read and before the stream was open is not among its changes. */
    const catchUp = async (): Promise<void> => {
      const [{ data }, first] = await Promise.all([client.listSessions({ ...queryOf(filters), limit: PAGE }, { signal }), topOf(client, filters, signal)]);
      setRows((before) => withRows(before, data));
      setTop(first);
    };
    const stop = onSessionChanges(client, (change) => {
      if (change.type === 'sessions.synced') void catchUp().catch(() => undefined);
      if (change.type !== 'session.changed') return;
      const row = change.data;
      const isListed = matches(row, ownId, filters);
      setRows((before) => withRow(before, row, isListed));
      setTop(({ waiting, pinned }) => ({
        waiting: withRow(waiting, row, isListed && filters.status === null && row.status === 'waiting'),
        pinned: withRow(pinned, row, isListed && pinned.some(({ id }) => id === row.id)),
      }));
    });
    return () => {
      stop();
      controller.abort();
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [client, key]);

  useEffect(() => {
    noteTitles([...rows, ...top.waiting, ...top.pinned]);
  }, [rows, top]);

  const { cursor, isLoading, error } = state;
  const more = useCallback(() => {
    if (cursor !== null && !isLoading) void load(cursor, current.current);
  }, [cursor, isLoading, load]);
  const reload = useCallback(() => setRound((one) => one + 1), []);
  useEffect(() => {
    pinChanges.addEventListener('change', reload);
    return () => pinChanges.removeEventListener('change', reload);
  }, [reload]);
  return { rows, ...top, isComplete: cursor === null && !isLoading, isLoading, error, more, reload };
}

type Top = Pick<Lists, 'waiting' | 'pinned'>;

const NOTHING: Top = { waiting: [], pinned: [] };

/** What stands above the days. Where the list is of one status, it is no other list of what waits. */
async function topOf(client: Client, filters: Filters, signal?: AbortSignal): Promise<Top> {
  const options = signal === undefined ? {} : { signal };
  const query = { ...queryOf(filters), limit: PAGE };
  const [waiting, pinned] = await Promise.all([
    filters.status === null ? client.listSessions({ ...query, status: 'waiting' }, options) : { data: [] },
    client.listSessions({ ...query, pinned: true }, options),
  ]);
  return { waiting: waiting.data, pinned: pinned.data };
}

function queryOf({ scope, status, user, model, since, folder, archived }: Filters) {
  return {
    ...(scope === null ? {} : { scope: scope as 'shared' }),
    ...(status === null ? {} : { status: status as 'idle' }),
    ...(user === null ? {} : { user }),
    ...(model === null ? {} : { model }),
    ...(since === null ? {} : { updatedAfter: new Date(since).toISOString() }),
    ...(folder === null ? {} : { metadata: JSON.stringify({ folder }) }),
    ...(archived ? { archived: true } : {}),
  };
}

function matches(row: SessionListItem, ownId: string, { scope, status, user, model, since, folder, archived }: Filters): boolean {
  return (
    (scope === 'tenant' || (row.userId === ownId) === (scope !== 'shared')) &&
    (status === null || row.status === status) &&
    (user === null || row.userId === user) &&
    (model === null || row.model === model) &&
    (since === null || row.updatedAt >= new Date(since).toISOString()) &&
    (folder === null || row.folder === folder) &&
    row.archived === archived
  );
}

function merged(before: readonly SessionListItem[], page: readonly SessionListItem[]): readonly SessionListItem[] {
  const known = new Set(before.map(({ id }) => id));
  return [...before, ...page.filter(({ id }) => !known.has(id))];
}

const withRows = (before: readonly SessionListItem[], rows: readonly SessionListItem[]): readonly SessionListItem[] =>
  rows.reduce((all, row) => withRow(all, row, true), before);

/** The changed row first, since it is the newest; or removed. */
function withRow(before: readonly SessionListItem[], row: SessionListItem, belongs: boolean): readonly SessionListItem[] {
  const at = before.findIndex(({ id }) => id === row.id);
  if (!belongs) return at < 0 ? before : before.toSpliced(at, 1);
  if (at >= 0 && before[at]!.version >= row.version) return before;
  const rest = at < 0 ? before : before.toSpliced(at, 1);
  const place = rest.findIndex(({ updatedAt }) => updatedAt <= row.updatedAt);
  return rest.toSpliced(place < 0 ? rest.length : place, 0, row);
}
