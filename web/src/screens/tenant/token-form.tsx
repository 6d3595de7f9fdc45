import type { Token } from '@verbatim/client';
import { useId, useState } from 'react';
import { SCOPES, type Scope } from '../../../../packages/protocol/access/actions.ts';
import { TENANT_ROLES, type TenantRole } from '../../../../packages/protocol/access/roles.ts';
import { useAccount } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { fullTime } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Button, ErrorNote } from '../../ui/parts.tsx';
import { SCOPES_IN_WORDS } from './scopes.ts';
import { SecretOnce } from './secret-once.tsx';

const RIGHTS: Readonly<Record<TenantRole, string>> = {
  member: 'member: their own conversations',
  auditor: 'auditor: proofs and structure, no content',
  admin: 'admin: people, settings, erasures',
};

interface Props {
  /** Whether the token is for a person who is named, who is added when there is none of that name. */
  readonly isForPerson?: boolean;
  readonly onMade: () => void;
  /** It was made and read, or is not wanted. */
  readonly onDone: () => void;
}

/** A new token. Its role has to be chosen: no right is given because a form was left as it was. */
export function TokenForm({ isForPerson = false, onMade, onDone }: Props) {
  const { client, me } = useAccount();
  const action = useAction();
  const [userName, setUserName] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<TenantRole | ''>('');
  const [days, setDays] = useState('90');
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const [made, setMade] = useState<Token | null>(null);
  const roles = TENANT_ROLES.filter((one) => me.role === 'admin' || one === 'member' || one === me.role);
  const create = async (): Promise<void> => {
    if (role === '') return;
    const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString();
    const body = {
      name: name.trim() || null,
      role,
      expiresAt,
      ...(isForPerson ? { userName: userName.trim() } : {}),
      ...(scopes.length === 0 ? {} : { scopes: [...scopes] }),
    };
    if (await action.run(async () => setMade(await client.createToken({ body })))) onMade();
  };
  const label = isForPerson ? 'Invite a person' : 'New token';
  return (
    <form
      className="token-form"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      {made ? (
        <>
          <SecretOnce secret={made.token}>
            {visible(made.name ?? 'Without a name')}, {made.role}, valid {made.expiresAt ? `until ${fullTime(made.expiresAt)}` : 'until it is revoked'}
          </SecretOnce>
          {isForPerson && (
            <p>
              {visible(userName.trim())} signs in with it at <code>{location.origin}/console</code>.
            </p>
          )}
          <div className="form-foot">
            <Button onClick={onDone}>Done</Button>
          </div>
        </>
      ) : (
        <>
          {isForPerson && (
            <>
              <p className="aside">
                A person without an account gets one with this role. You get a token for them, which they sign in with: pass it on in a way that you trust.
              </p>
              <label>
                Person
                <input
                  value={userName}
                  required
                  maxLength={200}
                  placeholder="Name, as others see it"
                  autoComplete="off"
                  onChange={(event) => setUserName(event.target.value)}
                />
              </label>
            </>
          )}
          <label>
            Role
            <select value={role} required onChange={(event) => setRole(event.target.value as TenantRole | '')}>
              <option value="">Choose…</option>
              {roles.map((one) => (
                <option key={one} value={one}>
                  {RIGHTS[one]}
                </option>
              ))}
            </select>
          </label>
          <div className="pair-of-fields">
            <label>
              {isForPerson ? 'Name of the token' : 'Name'}
              <input value={name} placeholder="laptop" maxLength={200} onChange={(event) => setName(event.target.value)} />
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
          </div>
          <Scopes chosen={scopes} onChange={setScopes} />
          <ErrorNote error={action.error} />
          <div className="form-foot">
            <Button onClick={onDone}>Cancel</Button>
            <Button look="primary" type="submit" disabled={action.isBusy}>
              {isForPerson ? 'Invite' : 'Create'}
            </Button>
          </div>
        </>
      )}
    </form>
  );
}

function Scopes({ chosen, onChange }: { readonly chosen: readonly Scope[]; readonly onChange: (scopes: readonly Scope[]) => void }) {
  const label = useId();
  return (
    <details>
      <summary id={label}>
        {chosen.length === 0 ? 'Scopes: all that the role may do' : `Scopes: only ${chosen.map((scope) => SCOPES_IN_WORDS[scope]).join(', ')}`}
      </summary>
      <p className="aside">Choose some to limit the token to them. It never has more rights than your own sign-in.</p>
      <div className="choices scope-choices" role="group" aria-labelledby={label}>
        {SCOPES.map((scope) => (
          <label key={scope} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              onChange={({ target }) => onChange(SCOPES.filter((one) => (one === scope ? target.checked : chosen.includes(one))))}
            />
            <span>
              {SCOPES_IN_WORDS[scope]} <small className="mono">{scope}</small>
            </span>
          </label>
        ))}
      </div>
    </details>
  );
}
