import type { Client, SessionListItem } from '@verbatim/client';
import { useClient } from '../../app/account.tsx';
import { briefOf } from '../conversation/brief-call.ts';
import { useLoad } from '../../app/load.ts';

const WAITS: readonly string[] = ['awaiting_decision', 'awaiting_client', 'awaiting_helper'];

export interface Waited {
  /** Of the tool. */
  readonly name: string;
  /** What the call is about, such as a file or a command. */
  readonly about: string;
}

/** The calls that a conversation waits for; empty: none, or not known yet. */
export function useWaitsFor({ id, turnId, status, version }: Pick<SessionListItem, 'id' | 'turnId' | 'status' | 'version'>): readonly Waited[] {
  const client = useClient();
  const { data } = useLoad(
    (signal) => (status === 'waiting' && turnId !== null ? callsOf(client, id, turnId, signal) : Promise.resolve([])),
    [client, id, turnId, status, version],
  );
  return data ?? [];
}

async function callsOf(client: Client, id: string, turnId: string, signal: AbortSignal): Promise<readonly Waited[]> {
  const { toolCalls } = await client.getTurn({ id, turnId }, { signal });
  return toolCalls.filter(({ status }) => WAITS.includes(status)).map(({ name, input }) => ({ name, about: briefOf(input) }));
}
