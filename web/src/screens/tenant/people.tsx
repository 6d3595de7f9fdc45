import { useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { Button, ErrorNote, Loading } from '../../ui/parts.tsx';
import { Person } from './person.tsx';
import { TokenForm } from './token-form.tsx';

/** Who is in the tenant, and what an admin does about it. */
export function People() {
  const { client, me } = useAccount();
  const action = useAction();
  const [cursor, setCursor] = useState<string | null>(null);
  const { data, error, reload } = useLoad((signal) => client.listUsers({ limit: 100, ...(cursor === null ? {} : { cursor }) }, { signal }), [client, cursor]);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the people" />;
  return (
    <>
      {me.role === 'admin' && <TokenForm isForPerson onMade={reload} />}
      <ErrorNote error={action.error} onClose={action.clear} />
      <table className="table middle">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Role</th>
            <th scope="col" className="number">
              Conversations
            </th>
            <th scope="col">Active</th>
            <th scope="col">Since</th>
            <th scope="col">
              <span className="hidden">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {data.data.map((user) => (
            <Person key={user.id} user={user} action={action} onChanged={reload} />
          ))}
        </tbody>
      </table>
      {data.nextCursor !== null && <Button onClick={() => setCursor(data.nextCursor)}>Next page</Button>}
    </>
  );
}
