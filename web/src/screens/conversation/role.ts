import type { Session } from '@verbatim/client';
import { useAccount } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';

/** From the one with the most rights to the one with the fewest. */
const ROLES = ['owner', 'editor', 'viewer'] as const;
export type SessionRole = (typeof ROLES)[number];

/**
 * The role of the user in the session: `viewer` also without any, as with emergency access. While it is not known: owner, since the server decides. With other
 * `grants` it is read again.
 */
export function useRole(session: Session | null, grants: number): SessionRole {
  const { client, me } = useAccount();
  const id = session?.id;
  const isFirstOwner = session?.userId === me.userId;
  const { data } = useLoad(
    async (signal) => (id === undefined || isFirstOwner ? null : client.listGrants({ id }, { signal })),
    [client, id, isFirstOwner, grants],
  );
  if (isFirstOwner || !data) return 'owner';
  const own = [`user:${me.userId}`, ...me.groups.map((group) => `group:${group}`)];
  const given = data.data.filter(({ principal }) => own.includes(principal)).map(({ role }) => role as string);
  return ROLES.find((role) => given.includes(role)) ?? 'viewer';
}
