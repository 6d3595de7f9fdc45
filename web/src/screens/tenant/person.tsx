import type { AnswerOf } from '@verbatim/client';
import { useState } from 'react';
import type { TenantRole } from '../../../../packages/protocol/access/roles.ts';
import { useAccount } from '../../app/account.tsx';
import type { Action } from '../../app/load.ts';
import { count, dateOf, fullTime } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { MenuButton } from '../../ui/menu-button.tsx';
import { Badge, Time } from '../../ui/parts.tsx';
import { DeletePerson } from './delete-person.tsx';
import { PersonLimits } from './person-limits.tsx';
import { RoleOf } from './role-of.tsx';

export type User = AnswerOf<'listUsers'>['data'][number];

/** A row of the people, with what an admin may do to them; not to themselves, who could not take it back. */
export function Person({ user, action, onChanged }: { readonly user: User; readonly action: Action; readonly onChanged: () => void }) {
  const { client, me } = useAccount();
  const [dialog, setDialog] = useState<'limits' | 'delete' | null>(null);
  const { id: userId, role, disabledAt, deletedAt, lastActiveAt } = user;
  const name = deletedAt === null ? visible(user.name) : `deleted person ${userId.slice(0, 8)}`;
  const mayLimit = deletedAt === null && me.role === 'admin';
  const isChangeable = deletedAt === null && userId !== me.userId && me.role === 'admin';
  const change = (body: { role?: TenantRole; disabled?: boolean }): void => void action.run(() => client.changeUser({ userId, body })).then(onChanged);
  return (
    <tr className={disabledAt !== null || deletedAt !== null ? 'away' : undefined}>
      <th scope="row">
        <span className="person">
          <span className="avatar" aria-hidden="true">
            {deletedAt === null ? initialsOf(user.name) : ''}
          </span>
          <span>
            {name} {userId === me.userId && <Badge tone="live">you</Badge>}
            {deletedAt === null && disabledAt !== null && <Badge tone="warn">disabled</Badge>}
            {deletedAt !== null && <Badge>deleted</Badge>}
          </span>
        </span>
      </th>
      <td data-label="Role">{isChangeable ? <RoleOf name={name} role={role} isBusy={action.isBusy} onChange={(to) => change({ role: to })} /> : role}</td>
      <td className="number" data-label="Conversations">
        {count(user.sessions)}
      </td>
      <td data-label="Last active">{lastActiveAt ? <Time value={lastActiveAt} /> : <span className="aside">never</span>}</td>
      <td data-label="Since" className="not-phone">
        <time dateTime={user.createdAt} title={fullTime(user.createdAt)}>
          {dateOf(user.createdAt)}
        </time>
      </td>
      <td className="row-action">
        {mayLimit && (
          <MenuButton
            label={`Actions of ${name}`}
            groups={[
              [
                { icon: 'sliders', label: 'Limits…', run: () => setDialog('limits') },
                ...(isChangeable
                  ? [{ icon: 'lock', label: disabledAt === null ? 'Disable' : 'Enable', run: () => change({ disabled: disabledAt === null }) } as const]
                  : []),
              ],
              isChangeable ? [{ icon: 'erase', label: 'Delete…', isDanger: true, run: () => setDialog('delete') }] : [],
            ]}
          />
        )}
        {dialog === 'limits' && <PersonLimits user={user} onClose={() => setDialog(null)} />}
        {dialog === 'delete' && <DeletePerson user={user} onClose={() => setDialog(null)} onDeleted={onChanged} />}
      </td>
    </tr>
  );
}

/** The first letters of the first and the last word of a name. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/u);
  const first = (word: string | undefined): string => [...(word ?? '')][0] ?? '';
  return visible((first(words[0]) + (words.length > 1 ? first(words.at(-1)) : '')).toUpperCase());
}
