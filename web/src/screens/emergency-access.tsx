import { useEffect, useState } from 'react';
import { useAccount } from '../app/account.tsx';
import { useLoad } from '../app/load.ts';
import { usePrincipals } from '../app/people.ts';
import { Link } from '../app/router.tsx';
import { visible } from '../text/plain.tsx';
import { Time } from '../ui/parts.tsx';

/** Tells the owner of a conversation who can read it now without a role in it. `count` changes when someone else can. */
export function EmergencyAccess({ id, count }: { readonly id: string; readonly count: number }) {
  const { client } = useAccount();
  const nameOf = usePrincipals(id, count);
  const { data } = useLoad((signal) => client.listAccesses({ id, limit: 1 }, { signal }), [client, id, count]);
  const [now, setNow] = useState(() => Date.now());
  const open = data?.brokenGlass.filter(({ until }) => Date.parse(until) > now) ?? [];
  const next = Math.min(...open.map(({ until }) => Date.parse(until)));
  useEffect(() => {
    if (!Number.isFinite(next)) return;
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, next - Date.now()) + 1);
    return () => clearTimeout(timer);
  }, [next]);
  if (open.length === 0) return null;
  return (
    <p className="banner" role="status">
      {open.map(({ by, until, reason }) => (
        <span key={by + until}>
          {nameOf(by)} has emergency access and may read this conversation until <Time value={until} />: {visible(reason)}.{' '}
        </span>
      ))}
      <Link to={`/sessions/${id}/audit`}>Who has read it</Link>
    </p>
  );
}
