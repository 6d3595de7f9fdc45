import { paginate, type User } from '@verbatim/client';
import { useCallback } from 'react';
import { useAccount } from './account.tsx';
import { useLoad } from './load.ts';
import { shortId } from './words.ts';

const MOST = 1_000;

/** Names of users by id. Only an admin may list them; to others, another user is an id. */
export function usePeople(): (userId: string) => string {
  const { client, me } = useAccount();
  const { data } = useLoad(async () => {
    const names = new Map<string, string>();
    if (me.role !== 'admin') return names;
    for await (const { id, name } of paginate<{ cursor?: string; limit?: number }, User>(client.listUsers as never, { limit: 100 })) {
      names.set(id, name);
      if (names.size >= MOST) break;
    }
    return names;
  }, [client, me]);
  return useCallback((userId: string) => (userId === me.userId ? me.userName : (data?.get(userId) ?? shortId(userId))), [data, me]);
}

/** The same for those who have a role or have read: users, and groups by their names. */
export function usePrincipals(): (principal: string) => string {
  const nameOf = usePeople();
  return useCallback(
    (principal: string) => {
      const [, kind, name] = /^(user|group|link):(.+)$/s.exec(principal) ?? [];
      if (kind === 'group') return `the group ${name}`;
      return kind === 'link' ? `a link (${shortId(name!)})` : nameOf(name ?? principal);
    },
    [nameOf],
  );
}
