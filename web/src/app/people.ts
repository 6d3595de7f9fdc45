import { paginate, type User } from '@verbatim/client';
import { useCallback, useMemo } from 'react';
import { useAccount } from './account.tsx';
import { useLoad } from './load.ts';
import { visible } from '../text/deceiving.ts';
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
  return useCallback((userId: string) => visible(userId === me.userId ? me.userName : (data?.get(userId) ?? shortId(userId))), [data, me]);
}

/** The people of a session with their names, by id. With another `version` they are read again. */
export function useSessionPeople(id: string, version: number): ReadonlyMap<string, string> {
  const { client, me } = useAccount();
  const { data } = useLoad(
    async (signal) => {
      const { data: people } = await client.listPeople({ id }, { signal });
      return new Map(people.map(({ userId, name }) => [userId, name]));
    },
    [client, id, version],
  );
  return useMemo(() => new Map([...(data ?? []), [me.userId, me.userName]]), [data, me]);
}

/** Names of those who have a role in a session or have read it: users, groups by their names, and links. */
export function usePrincipals(id: string, version = 0): (principal: string) => string {
  const nameOf = usePeople();
  const people = useSessionPeople(id, version);
  return useCallback(
    (principal: string) => {
      const [, kind, name] = /^(user|group|link):(.+)$/s.exec(principal) ?? [];
      if (kind === 'group') return `the group ${visible(name ?? '')}`;
      const userId = name ?? principal;
      return kind === 'link' ? `a link (${shortId(userId)})` : visible(people.get(userId) ?? nameOf(userId));
    },
    [nameOf, people],
  );
}
