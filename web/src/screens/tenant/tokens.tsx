import { useAccount } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { visible } from '../../text/plain.tsx';
import { Browsers } from './browsers.tsx';
import { TokenForm } from './token-form.tsx';
import { Badge, ErrorNote, Loading, Sure, Time } from '../../ui/parts.tsx';

export function Tokens() {
  const { client, me } = useAccount();
  const nameOf = usePeople();
  const { data, error, reload } = useLoad((signal) => client.listTokens({ limit: 100 }, { signal }), [client]);
  const action = useAction();
  return (
    <>
      <TokenForm onMade={reload} />
      <ErrorNote error={action.error} onClose={action.clear} />
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
                <td>
                  {token.role} {token.scopes && <p className="aside">only {token.scopes.join(', ')}</p>}
                </td>
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
