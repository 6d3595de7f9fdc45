import type { SessionListItem } from '@verbatim/client';
import { useEffect, useState } from 'react';
import { useAccount } from './account.tsx';
import { onSessionChanges } from './changes.ts';

/** What the list, the bell and others call it. */
export const NEEDS_YOU = 'Needs you';

/** Most that are counted. */
const MOST = 100;

/** The user's conversations in which something waits for a person, newest change first. */
export function useWaiting(): readonly SessionListItem[] {
  const { client, me } = useAccount();
  const [rows, setRows] = useState<readonly SessionListItem[]>([]);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const read = async (): Promise<void> => {
      const { data } = await client.listSessions({ status: 'waiting', limit: MOST }, { signal });
      if (!signal.aborted) setRows(data);
    };
    const stop = onSessionChanges(client, (change) => {
      if (change.type === 'sessions.synced') void read().catch(() => undefined);
      if (change.type !== 'session.changed' || change.data.userId !== me.userId) return;
      const row = change.data;
      setRows((before) => {
        const known = before.find(({ id }) => id === row.id);
        if (known !== undefined && known.version >= row.version) return before;
        if (known === undefined && row.status !== 'waiting') return before;
        const rest = before.filter(({ id }) => id !== row.id);
        return row.status === 'waiting' && !row.archived ? [row, ...rest] : rest;
      });
    });
    return () => {
      stop();
      controller.abort();
    };
  }, [client, me.userId]);
  return rows;
}
