import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { count } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Button, ErrorNote, Loading, Time } from '../../ui/parts.tsx';

export function People() {
  const client = useClient();
  const [cursor, setCursor] = useState<string | null>(null);
  const { data, error, reload } = useLoad((signal) => client.listUsers({ limit: 100, ...(cursor === null ? {} : { cursor }) }, { signal }), [client, cursor]);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the people" />;
  return (
    <>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" className="number">
              Conversations
            </th>
            <th scope="col">Active</th>
            <th scope="col">Since</th>
          </tr>
        </thead>
        <tbody>
          {data.data.map(({ id, name, sessions, lastActiveAt, createdAt }) => (
            <tr key={id}>
              <th scope="row">{visible(name)}</th>
              <td className="number" data-label="Conversations">
                {count(sessions)}
              </td>
              <td data-label="Active">{lastActiveAt ? <Time value={lastActiveAt} /> : 'never'}</td>
              <td data-label="Since">
                <Time value={createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {data.nextCursor !== null && <Button onClick={() => setCursor(data.nextCursor)}>Next page</Button>}
    </>
  );
}
