import type { Client, SessionListItem } from '@verbatim/client';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';

const WAITS: readonly string[] = ['awaiting_decision', 'awaiting_client', 'awaiting_helper'];

/** The tools whose calls a conversation waits for; empty: none, or not known yet. */
export function useWaitsFor({ id, turnId, status, version }: Pick<SessionListItem, 'id' | 'turnId' | 'status' | 'version'>): readonly string[] {
  const client = useClient();
  const { data } = useLoad(
    (signal) => (status === 'waiting' && turnId !== null ? toolsOf(client, id, turnId, signal) : Promise.resolve([])),
    [client, id, turnId, status, version],
  );
  return data ?? [];
}

async function toolsOf(client: Client, id: string, turnId: string, signal: AbortSignal): Promise<readonly string[]> {
  const { toolCalls } = await client.getTurn({ id, turnId }, { signal });
  return [...new Set(toolCalls.filter(({ status }) => WAITS.includes(status)).map(({ name }) => name))];
}
