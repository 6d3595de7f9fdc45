import { paginate, type User } from '@verbatim/client';
import { useCallback, useMemo } from 'react';
import { useAccount } from './account.tsx';
import { useLoad } from './load.ts';
import { visible } from '../text/deceiving.ts';
import { shortId } from './words.ts';

const MOST = 1_000;

/** Users by id, those who are disabled or deleted included. Only an admin may list them; to others, there are none. */
function useUsers(): ReadonlyMap<string, User> | null {
  const { client, me } = useAccount();
  const { data } = useLoad(async () => {
    const users = new Map<string, User>();
    if (me.role !== 'admin') return users;
    for await (const user of paginate<{ cursor?: string; limit?: number }, User>(client.listUsers as never, { limit: 100 })) {
      users.set(user.id, user);
      if (users.size >= MOST) break;
    }
    return users;
  }, [client, me]);
  return data;
}

/** Names of users by id. To those who may not list them, another user is an id. */
export function usePeople(): (userId: string) => string {
  const { me } = useAccount();
  const users = useUsers();
  return useCallback(
    (userId: string) => visible(userId === me.userId ? me.userName : (users?.get(userId)?.name ?? (users === null ? '…' : shortId(userId)))),
    [users, me],
  );
}

/** The other users who are active, by name. */
export function useOthers(): readonly User[] {
  const { me } = useAccount();
  const users = useUsers();
  return useMemo(
    () =>
      [...(users?.values() ?? [])]
        .filter(({ id, disabledAt, deletedAt }) => id !== me.userId && disabledAt === null && deletedAt === null)
        .toSorted((one, other) => one.name.localeCompare(other.name)),
    [users, me],
  );
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
