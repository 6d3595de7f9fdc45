import type { AnswerOf } from '@verbatim/client';
import { useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { dateOf, dayOf, fullTime } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Badge, Button, ErrorNote, Loading, Sure, Time } from '../../ui/parts.tsx';
import { Browsers } from './browsers.tsx';
import { SCOPES_IN_WORDS } from './scopes.ts';
import { SectionHead } from './section-head.tsx';
import { TokenDialog } from './token-dialog.tsx';

type Listed = AnswerOf<'listTokens'>['data'][number];

export function Tokens() {
  const { client } = useAccount();
  const { data, error, reload } = useLoad((signal) => client.listTokens({ limit: 100 }, { signal }), [client]);
  const [isMaking, setMaking] = useState(false);
  return (
    <>
      <SectionHead
        title="API tokens"
        about="Programs sign in with them. A token has the rights of its role, or fewer, and never more than the person it belongs to."
      >
        <Button look="primary" onClick={() => setMaking(true)}>
          New token
        </Button>
      </SectionHead>
      {isMaking && <TokenDialog onMade={reload} onClose={() => setMaking(false)} />}
      <ErrorNote error={error} onRetry={reload} />
      {!data && !error && <Loading what="the tokens" />}
      {data && <TokenTable tokens={data.data} onChanged={reload} />}
      <Browsers />
    </>
  );
}

function TokenTable({ tokens, onChanged }: { readonly tokens: readonly Listed[]; readonly onChanged: () => void }) {
  const { client, me } = useAccount();
  const nameOf = usePeople();
  const action = useAction();
  return (
    <>
      <ErrorNote error={action.error} onClose={action.clear} />
      <table className="table middle row-actions by-three" aria-label="API tokens">
        <thead>
          <tr>
            <th scope="col">Token</th>
            {me.role !== 'member' && <th scope="col">Person</th>}
            <th scope="col">Role</th>
            <th scope="col">Created</th>
            <th scope="col">Valid</th>
            <th scope="col">
              <span className="hidden">Revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <th scope="row">
                {token.name === null ? <span className="unnamed">{token.parentId === null ? 'First token' : 'Without a name'}</span> : visible(token.name)}{' '}
                {token.id === me.tokenId && <Badge tone="live">this one</Badge>}
              </th>
              {me.role !== 'member' && <td data-label="Person">{nameOf(token.userId)}</td>}
              <td data-label="Role">
                {token.role}
                {token.scopes?.map((scope) => (
                  <span key={scope} className="aside scopes">
                    {SCOPES_IN_WORDS[scope]} <small className="mono">{scope}</small>
                  </span>
                ))}
              </td>
              <td data-label="Created" className="not-phone">
                <Time value={token.createdAt} />
              </td>
              <td data-label="Valid">
                <Validity until={token.expiresAt} />
              </td>
              <td className="row-action">
                <Sure
                  label="Revoke"
                  about={token.name ?? token.id}
                  onSure={() => void action.run(() => client.revokeToken({ tokenId: token.id })).then(onChanged)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

const DAY = 86_400_000;
/** From so many days on the end of a token is near. */
const SOON = 14;
/** A day of the year names the next one, not that of a year later. */
const A_YEAR = 330;

function Validity({ until }: { readonly until: string | null }) {
  if (until === null) return <span className="unnamed">until revoked</span>;
  const days = Math.ceil((Date.parse(until) - Date.now()) / DAY);
  return (
    <time dateTime={until} title={fullTime(until)} className={days <= SOON ? 'warn-text' : undefined}>
      {days <= 0 ? 'ended' : days === 1 ? 'until tomorrow' : `until ${days < A_YEAR ? dayOf(until) : dateOf(until)}`}
    </time>
  );
}
