import type { Token } from '@verbatim/client';
import { useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { visible } from '../../text/plain.tsx';
import { Browsers } from './browsers.tsx';
import { Badge, Button, Copy, ErrorNote, Loading, Sure, Time } from '../../ui/parts.tsx';

export function Tokens() {
  const { client, me } = useAccount();
  const nameOf = usePeople();
  const { data, error, reload } = useLoad((signal) => client.listTokens({ limit: 100 }, { signal }), [client]);
  const action = useAction();
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const [made, setMade] = useState<Token | null>(null);
  const create = async (): Promise<void> => {
    const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString();
    const isDone = await action.run(async () =>
      setMade(await client.createToken({ body: { name: name.trim() || null, expiresAt, role: me.role === 'admin' ? 'admin' : 'member' } })),
    );
    if (isDone) {
      setName('');
      reload();
    }
  };
  return (
    <>
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <h2>New token</h2>
        <div className="line">
          <label className="grow">
            Name
            <input value={name} placeholder="laptop" onChange={(event) => setName(event.target.value)} />
          </label>
          <label>
            Valid for
            <select value={days} onChange={(event) => setDays(event.target.value)}>
              <option value="7">a week</option>
              <option value="90">90 days</option>
              <option value="365">a year</option>
              <option value="">until it is revoked</option>
            </select>
          </label>
          <Button look="primary" type="submit" disabled={action.isBusy}>
            Create
          </Button>
        </div>
        <ErrorNote error={action.error} />
        {made && (
          <p className="note good" role="status">
            <span>
              Shown this once: <code>{made.token}</code>
            </span>
            <Copy text={made.token} />
          </p>
        )}
      </form>
      <ErrorNote error={error} onRetry={reload} />
      {!data && !error && <Loading what="the tokens" />}
      {data && (
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">User</th>
              <th scope="col">Role</th>
              <th scope="col">Created</th>
              <th scope="col">Valid until</th>
              <th scope="col">
                <span className="hidden">Revoke</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.data.map((token) => (
              <tr key={token.id}>
                <th scope="row">
                  {visible(token.name ?? 'without name')} {token.id === me.tokenId && <Badge tone="live">this one</Badge>}
                </th>
                <td>{nameOf(token.userId)}</td>
                <td>{token.role}</td>
                <td>
                  <Time value={token.createdAt} />
                </td>
                <td>{token.expiresAt ? <Time value={token.expiresAt} /> : 'until revoked'}</td>
                <td className="number">
                  <Sure
                    label="Revoke"
                    about={token.name ?? token.id}
                    onSure={() => void action.run(() => client.revokeToken({ tokenId: token.id })).then(reload)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Browsers />
    </>
  );
}
