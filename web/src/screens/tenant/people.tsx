import type { User } from '@verbatim/client';
import { useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { plural } from '../../app/words.ts';
import { Button, ErrorNote, Loading } from '../../ui/parts.tsx';
import { Person } from './person.tsx';
import { SectionHead } from './section-head.tsx';
import { TokenDialog } from './token-dialog.tsx';

/** Who is in the tenant, and what an admin does about it. */
export function People() {
  const { client, me } = useAccount();
  const action = useAction();
  const [isInviting, setInviting] = useState(false);
  const [cursor, setCursor] = useState<string | null>(null);
  const { data, error, reload } = useLoad((signal) => client.listUsers({ limit: 100, ...(cursor === null ? {} : { cursor }) }, { signal }), [client, cursor]);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the people" />;
  return (
    <>
      <SectionHead
        title="People"
        about={`${plural(data.data.length, 'person', 'people')}${data.nextCursor === null ? '' : ' on this page'}. A role decides what a person may do in the tenant; each conversation has roles of its own.`}
      >
        {me.role === 'admin' && (
          <Button look="primary" onClick={() => setInviting(true)}>
            Invite a person
          </Button>
        )}
      </SectionHead>
      {isInviting && <TokenDialog isForPerson onMade={reload} onClose={() => setInviting(false)} />}
      <ErrorNote error={action.error} onClose={action.clear} />
      <table className="table middle row-actions by-three people" aria-label="People">
        <thead>
          <tr>
            <th scope="col">Person</th>
            <th scope="col">Role</th>
            <th scope="col" className="number">
              Conversations
            </th>
            <th scope="col">Last active</th>
            <th scope="col">Since</th>
            <th scope="col">
              <span className="hidden">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {inOrder(data.data, me.userId).map((user) => (
            <Person key={user.id} user={user} action={action} onChanged={reload} />
          ))}
        </tbody>
      </table>
      {data.nextCursor !== null && <Button onClick={() => setCursor(data.nextCursor)}>Next page</Button>}
    </>
  );
}

/** Oneself first, the others by name. */
const inOrder = (users: readonly User[], own: string): readonly User[] =>
  users.toSorted((a, b) => Number(b.id === own) - Number(a.id === own) || a.name.localeCompare(b.name));
