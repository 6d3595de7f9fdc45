import type { SessionListItem } from '@verbatim/client';
import { useCallback, useMemo, useState } from 'react';

export interface Chosen {
  /** Null: nothing is being selected. */
  readonly rows: readonly SessionListItem[] | null;
  readonly has: (id: string) => boolean;
  readonly begin: () => void;
  readonly end: () => void;
  /** Selects all that there are. */
  readonly all: () => void;
  /** Selects a conversation, or does not any more; begins to select where that has not been. */
  readonly turn: (id: string) => void;
  readonly drop: (ids: readonly string[]) => void;
}

/** Conversations that are selected to do something with all of them. `listed`: those that there are. */
export function useChosen(listed: readonly SessionListItem[]): Chosen {
  const [ids, setIds] = useState<ReadonlySet<string> | null>(null);
  const begin = useCallback(() => setIds((before) => before ?? new Set()), []);
  const end = useCallback(() => setIds(null), []);
  const all = (): void => setIds(new Set(listed.map(({ id }) => id)));
  const turn = useCallback(
    (id: string) => setIds((before) => new Set(before?.has(id) ? [...before].filter((one) => one !== id) : [...(before ?? []), id])),
    [],
  );
  const drop = useCallback((gone: readonly string[]) => setIds((before) => before && new Set([...before].filter((id) => !gone.includes(id)))), []);
  const rows = useMemo(() => ids && [...new Map(listed.filter(({ id }) => ids.has(id)).map((row) => [row.id, row])).values()], [ids, listed]);
  return { rows, has: (id) => ids?.has(id) ?? false, begin, end, all, turn, drop };
}
