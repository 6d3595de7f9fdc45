import type { Grant } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { useOthers, usePrincipals } from '../../app/people.ts';
import { clockTime, dateOf, fullTime, plural } from '../../app/words.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { visible } from '../../text/plain.tsx';
import { Button, Copy, ErrorNote, Sure } from '../../ui/parts.tsx';
import { LinkForm } from './link-form.tsx';

const ROLES: Readonly<Record<Grant['role'], string>> = {
  viewer: 'may read',
  editor: 'may read and write',
  auditor: 'may see structure and proofs, no content',
  owner: 'may do everything',
};

const ALL = Object.keys(ROLES) as readonly Grant['role'][];
/** To make another owner takes more than a choice in a row: it cannot be taken back there. */
const GIVEN = ALL.filter((role) => role !== 'owner');

/** People who are offered to be chosen: those of the tenant who have no role in the conversation. */
const SUGGESTED = 5;

/** Who else has a role in a conversation, and links that show it. */
export function ShareDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  return (
    <Dialog
      title="Share"
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <Grants id={id} />
      <Links id={id} />
    </Dialog>
  );
}

function Grants({ id }: { readonly id: string }) {
  const client = useClient();
  const action = useAction();
  const nameOf = usePrincipals(id);
  const others = useOthers();
  const { data, error, reload } = useLoad((signal) => client.listGrants({ id }, { signal }), [client, id]);
  const [kind, setKind] = useState<'user' | 'group'>('user');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Grant['role']>('viewer');
  const given = new Set(data?.data.map(({ principal }) => principal));
  const suggested = data === null ? [] : others.filter(({ id: one }) => !given.has(`user:${one}`)).slice(0, SUGGESTED);
  const grant = async (): Promise<void> => {
    if (!(await action.run(() => client.grantRole({ id, principal: `${kind}:${name.trim()}`, body: { role } })))) return;
    setName('');
    reload();
  };
  const change = (principal: string, next: Grant['role']): Promise<void> =>
    action.run(() => client.grantRole({ id, principal, body: { role: next } })).then(reload);
  return (
    <section aria-label="People">
      <h3>People</h3>
      <form
        className="share-form"
        onSubmit={(event) => {
          event.preventDefault();
          void grant();
        }}
      >
        <label>
          Who
          <select value={kind} onChange={(event) => setKind(event.target.value as 'user')}>
            <option value="user">person</option>
            <option value="group">group</option>
          </select>
        </label>
        <label className="grow">
          Name
          <input
            value={name}
            required
            autoComplete="off"
            placeholder={kind === 'user' ? 'Name of a person' : 'Name of a group'}
            list={kind === 'user' ? 'people-to-share-with' : undefined}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <label>
          Role
          <RoleChoice value={role} roles={ALL} onChange={setRole} />
        </label>
        <datalist id="people-to-share-with">
          {others.map(({ id: one, name: known }) => (
            <option key={one} value={known} />
          ))}
        </datalist>
        <Button type="submit" disabled={action.isBusy || name.trim() === ''}>
          Share
        </Button>
      </form>
      {kind === 'user' && suggested.length > 0 && (
        <div className="chips" role="group" aria-label="Suggested people">
          {suggested.map(({ id: one, name: known }) => (
            <button key={one} type="button" className="chip" aria-pressed={name === known} onClick={() => setName(known)}>
              {visible(known)}
            </button>
          ))}
        </div>
      )}
      <ErrorNote error={action.error ?? error} />
      <ul className="share-rows">
        {data?.data.map(({ principal, role: has }) => (
          <li key={principal}>
            <strong>{nameOf(principal)}</strong>
            {has === 'owner' ? (
              <span className="aside">owner: {ROLES.owner}</span>
            ) : (
              <>
                <RoleChoice label={`Role of ${nameOf(principal)}`} value={has} roles={GIVEN} onChange={(next) => void change(principal, next)} />
                <Sure label="Remove" about={nameOf(principal)} onSure={() => void action.run(() => client.revokeGrant({ id, principal })).then(reload)} />
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface RoleProps {
  readonly label?: string;
  readonly value: Grant['role'];
  readonly roles: readonly Grant['role'][];
  readonly onChange: (role: Grant['role']) => void;
}

function RoleChoice({ label, value, roles, onChange }: RoleProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value as Grant['role'])}>
      {roles.map((role) => (
        <option key={role} value={role}>
          {role}: {ROLES[role]}
        </option>
      ))}
    </select>
  );
}

function Links({ id }: { readonly id: string }) {
  const client = useClient();
  const action = useAction();
  /** Of those that were created here: the server keeps no addresses. */
  const [addresses, setAddresses] = useState<ReadonlyMap<string, string>>(new Map());
  const { data, error, reload } = useLoad((signal) => client.listLinks({ id }, { signal }), [client, id]);
  return (
    <section aria-label="Links">
      <h3>Links</h3>
      <p className="aside">
        A link shows this conversation, as it grows, to everyone who has it, without an account. To share it up to a message, use the menu of the message.
      </p>
      <LinkForm
        id={id}
        onCreated={(link) => {
          setAddresses((before) => new Map([...before, [link.id, link.address]]));
          reload();
        }}
      />
      <ErrorNote error={action.error ?? error} />
      <ul className="share-rows">
        {data?.data.map((link) => (
          <li key={link.id}>
            <span>{link.at === null ? 'Whole conversation' : 'Up to a message'}</span>
            <span className="aside">
              until {dateOf(link.expiresAt)}, {clockTime(link.expiresAt)}, {link.uses === 0 ? 'not used' : `used ${plural(link.uses, 'time')}`}
            </span>
            <span className="share-acts">
              {addresses.has(link.id) && <Copy text={addresses.get(link.id)!} look="quiet" />}
              <Sure
                label="Revoke"
                about={`the link until ${fullTime(link.expiresAt)}`}
                onSure={() => void action.run(() => client.revokeLink({ id, linkId: link.id })).then(reload)}
              />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
