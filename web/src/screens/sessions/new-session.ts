import type { Client } from '@verbatim/client';
import { useCallback } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { navigate } from '../../app/router.tsx';
import { startWriting } from '../../app/start-writing.ts';

export interface NewSession {
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly run: () => Promise<void>;
}

/** Among so many of the newest, an empty conversation is looked for. */
const NEWEST = 20;

/** Opens an empty conversation: the newest of one's own in which nothing has happened, otherwise another one. */
export function useNewSession(): NewSession {
  const { client, me } = useAccount();
  const { isBusy, error, run } = useAction();
  const create = useCallback(async () => {
    await run(async () => {
      const id = (await emptyOf(client, me.userId)) ?? (await client.createSession({ body: {} })).id;
      startWriting(id);
      navigate(`/sessions/${id}`);
    });
  }, [client, me, run]);
  return { isBusy, error, run: create };
}

/** Null: there is none. What was created with a title, a folder, instructions or tools of its own is meant for something. */
async function emptyOf(client: Client, userId: string): Promise<string | null> {
  const { data } = await client.listSessions({ limit: NEWEST });
  const row = data.find((one) => one.userId === userId && one.version === 1 && one.messageCount === 0 && one.title === null && one.folder === null);
  if (row === undefined) return null;
  const { system, tools, metadata, forkedFrom } = await client.getSession({ id: row.id });
  return system === null && tools.length === 0 && forkedFrom === null && Object.keys(metadata).length === 0 ? row.id : null;
}
