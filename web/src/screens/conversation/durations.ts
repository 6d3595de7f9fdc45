import { useRef } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';

const NEWEST = 100;

/** How long turns took that have ended, in milliseconds, by the uuid of their last message. `head`: the newest message, while no turn runs; null: nothing new has ended. */
export function useDurations(id: string, head: string | null): ReadonlyMap<string, number> {
  const client = useClient();
  const known = useRef<ReadonlyMap<string, number>>(new Map());
  const { data } = useLoad(
    async (signal) => (head === null ? null : (await client.listMessages({ id, notes: true, newest: true, limit: NEWEST }, { signal })).data),
    [client, id, head],
  );
  if (data) {
    const found = data.flatMap((message) =>
      message.type === 'system' && message.subtype === 'turn_duration' && message.parentUuid !== null && message.durationMs !== undefined
        ? [[message.parentUuid, message.durationMs] as const]
        : [],
    );
    if (found.some(([uuid]) => !known.current.has(uuid))) known.current = new Map([...known.current, ...found]);
  }
  return known.current;
}
