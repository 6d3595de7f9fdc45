import { useState } from 'react';
import { TENANT_ROLES, type TenantRole } from '../../../../packages/protocol/access/roles.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Button } from '../../ui/parts.tsx';

interface Props {
  readonly name: string;
  readonly role: string;
  readonly isBusy: boolean;
  readonly onChange: (role: TenantRole) => void;
}

/** The role of a person, to be changed. To make them an admin is asked once more: arrow keys choose in a list, too. */
export function RoleOf({ name, role, isBusy, onChange }: Props) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <select
        className="quiet"
        aria-label={`Role of ${name}`}
        value={role}
        disabled={isBusy}
        onChange={({ target }) => (target.value === 'admin' ? setAsked(true) : onChange(target.value as TenantRole))}
      >
        {TENANT_ROLES.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      {isAsked && (
        <Dialog
          title="Make an admin"
          onClose={() => setAsked(false)}
          footer={
            <>
              <Button onClick={() => setAsked(false)}>Cancel</Button>
              <Button
                look="primary"
                onClick={() => {
                  setAsked(false);
                  onChange('admin');
                }}
              >
                Make an admin
              </Button>
            </>
          }
        >
          <p>
            <strong>{name}</strong> may then invite, disable and delete people, change the settings and the limits of the tenant, erase conversations, and get
            emergency access to those of others.
          </p>
        </Dialog>
      )}
    </>
  );
}
