import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { plural } from '../../app/words.ts';
import { LimitFields, limitsOf, type LimitTexts, type Quotas, textsOf } from './limit-fields.tsx';
import { SCOPES, SettingsForm } from './settings-form.tsx';
import { useSaving } from './use-saving.ts';

interface Props {
  readonly quotas: Quotas;
  readonly version: number;
}

type Fields = Readonly<Record<(typeof SCOPES)[number][0], LimitTexts>>;

/** Limits on use, of the tenant and of each person, with what is used of them now. An empty field is no limit. */
export function QuotaForm({ quotas, version }: Props) {
  const client = useClient();
  const states = useLoad((signal) => client.listQuotas({}, { signal }), [client]);
  const [fields, setFields] = useState(() => fieldsOf(quotas));
  const saving = useSaving({ onSaved: states.reload, version, fill: (stored) => setFields(fieldsOf(stored.quotas)) });
  const change = (scope: keyof Fields, texts: LimitTexts): void => {
    setFields({ ...fields, [scope]: texts });
    saving.touch();
  };
  // Limits of single people, tokens and conversations, which the form does not show, stay as they are stored now.
  const save = (): void => void saving.save((stored) => ({ quotas: quotasOf(fields, stored.quotas) }));
  const single = Object.keys(quotas.users ?? {}).length;
  return (
    <SettingsForm
      label="Limits"
      sections={['quotas']}
      saving={saving}
      saveLabel="Save the limits"
      onSave={save}
      json={quotasOf(fields, quotas)}
      jsonNote={single > 0 && `, with the limits of ${plural(single, 'person', 'people')}`}
    >
      <p className="aside">
        An empty field is no limit. A day begins at midnight UTC. The bars of “Each person” show your own use. A person gets limits of their own under{' '}
        <Link to="/tenant/people">People</Link>.
      </p>
      {SCOPES.map(([scope, title]) => (
        <div key={scope} className="limits" role="group" aria-label={title}>
          <h3>{title}</h3>
          <LimitFields
            texts={fields[scope]}
            onChange={(texts) => change(scope, texts)}
            states={states.data?.data.filter((one) => one.scope === scope) ?? null}
            resetsAt={states.data?.resetsAt}
          />
        </div>
      ))}
    </SettingsForm>
  );
}

const fieldsOf = ({ tenant, user }: Quotas): Fields => ({ tenant: textsOf(tenant), user: textsOf(user) });

/** What the form says, with the limits that it does not show, of single people, tokens and conversations, as they were. */
const quotasOf = ({ tenant, user }: Fields, stored: Quotas): Quotas => ({ ...stored, tenant: limitsOf(tenant), user: limitsOf(user) });
