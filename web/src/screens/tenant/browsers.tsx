import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { deviceOf } from '../../app/user-agent.ts';
import { visible } from '../../text/plain.tsx';
import { Badge, ErrorNote, Sure, Time } from '../../ui/parts.tsx';

/** Browsers that are signed in by a cookie. */
export function Browsers() {
  const client = useClient();
  const nameOf = usePeople();
  const action = useAction();
  const { data, error, reload } = useLoad((signal) => client.listSignIns({ limit: 100 }, { signal }), [client]);
  return (
    <section className="card" aria-label="Browsers that are signed in">
      <h2>Browsers that are signed in</h2>
      <ErrorNote error={error ?? action.error} />
      {data?.data.length === 0 && <p className="aside">None. This page is signed in with a token, which the table above lists.</p>}
      <ul className="entries">
        {data?.data.map(({ id, userId, method, userAgent, lastUsedAt, current }) => (
          <li key={id}>
            <span className="grow">
              <span title={userAgent ?? undefined}>{nameOfBrowser(userAgent)}</span> {current && <Badge tone="live">this one</Badge>}
              <span className="aside entry-about">
                {nameOf(userId)}, signed in by {method}, used <Time value={lastUsedAt} />
              </span>
            </span>
            <Sure
              label="Sign out"
              about={`${nameOfBrowser(userAgent)} of ${nameOf(userId)}`}
              onSure={() => void action.run(() => client.revokeSignIn({ signInId: id })).then(reload)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

const nameOfBrowser = (userAgent: string | null): string => visible(deviceOf(userAgent) ?? 'A browser without a name');
