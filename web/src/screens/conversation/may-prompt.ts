import type { Session } from '@verbatim/client';
import { useAccount } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';

const WRITERS: readonly string[] = ['owner', 'editor'];

/** Whether the user has a role that may write in the session. While that is not known: true, the server decides. With other `grants` it is read again. */
export function useMayPrompt(session: Session | null, grants: number): boolean {
  const { client, me } = useAccount();
  const id = session?.id;
  const isFirstOwner = session?.userId === me.userId;
  const { data } = useLoad(
    async (signal) => (id === undefined || isFirstOwner ? null : client.listGrants({ id }, { signal })),
    [client, id, isFirstOwner, grants],
  );
  if (isFirstOwner || !data) return true;
  const own = [`user:${me.userId}`, ...me.groups.map((group) => `group:${group}`)];
  return data.data.some(({ principal, role }) => own.includes(principal) && WRITERS.includes(role));
}
