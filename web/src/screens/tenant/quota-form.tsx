import type { AnswerOf } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { count } from '../../app/words.ts';
import { QUOTA_LABELS, QuotaUse } from './quota-use.tsx';
import { SCOPES, SettingsForm } from './settings-form.tsx';
import { useSaving } from './use-saving.ts';

type Quotas = AnswerOf<'getSettings'>['quotas'];
type Limits = NonNullable<Quotas['tenant']>;
type Quota = keyof Limits;

/** Each limit with the smallest step in which it is set. */
const FIELDS: readonly (readonly [quota: Quota, step: string])[] = [
  ['promptsPerDay', '1'],
  ['tokensPerDay', '1'],
  ['dollarsPerDay', 'any'],
  ['sessions', '1'],
  ['storageBytes', '1'],
];

type Fields = Readonly<Record<string, string>>;

interface Props {
  readonly quotas: Quotas;
  readonly version: number;
}

/** Limits on use, of the tenant and of each person, with what is used of them now. An empty field is no limit. */
export function QuotaForm({ quotas, version }: Props) {
  const client = useClient();
  const states = useLoad((signal) => client.listQuotas({}, { signal }), [client]);
  const [fields, setFields] = useState<Fields>(() => fieldsOf(quotas));
  const saving = useSaving({ onSaved: states.reload, version, fill: (stored) => setFields(fieldsOf(stored.quotas)) });
  const stateOf = (scope: string, quota: Quota) => states.data?.data.find((one) => one.scope === scope && one.quota === quota);
  const change = (name: string, value: string): void => {
    setFields({ ...fields, [name]: value });
    saving.touch();
  };
  // Limits of single people, which the form does not show, stay as they are stored now.
  const save = (): void => void saving.save((stored) => ({ quotas: quotasOf(fields, stored.quotas) }));
  return (
    <SettingsForm
      label="Limits"
      sections={['quotas']}
      saving={saving}
      saveLabel="Save the limits"
      onSave={save}
      json={quotasOf(fields, quotas)}
      jsonNote={quotas.users && `, with the limits of ${count(Object.keys(quotas.users).length)} single people, which are kept`}
    >
      <p className="aside">An empty field is no limit. A day begins at midnight UTC. What is used of the limits of each person is what you have used.</p>
      {SCOPES.map(([scope, title]) => (
        <div key={scope} className="limits" role="group" aria-label={title}>
          <h3>{title}</h3>
          {FIELDS.map(([quota, step]) => (
            <div key={quota} className="limit-row">
              <label htmlFor={`${scope}-${quota}`}>{QUOTA_LABELS[quota]}</label>
              <input
                id={`${scope}-${quota}`}
                type="number"
                min={0}
                max={Number.MAX_SAFE_INTEGER}
                step={step}
                value={fields[`${scope}.${quota}`] ?? ''}
                onChange={({ target }) => change(`${scope}.${quota}`, target.value)}
              />
              <QuotaUse state={stateOf(scope, quota)} resetsAt={states.data?.resetsAt} />
            </div>
          ))}
        </div>
      ))}
    </SettingsForm>
  );
}

function fieldsOf(quotas: Quotas): Fields {
  return Object.fromEntries(SCOPES.flatMap(([scope]) => Object.entries(quotas[scope] ?? {}).map(([quota, limit]) => [`${scope}.${quota}`, String(limit)])));
}

/** What the form says, with the limits of single people as they were, which it does not show. */
function quotasOf(fields: Fields, { users }: Quotas): Quotas {
  const limitsOf = (scope: string): Limits =>
    Object.fromEntries(
      FIELDS.map(([quota]) => [quota, fields[`${scope}.${quota}`] ?? ''] as const).flatMap(([quota, text]) => (text === '' ? [] : [[quota, Number(text)]])),
    );
  return { tenant: limitsOf('tenant'), user: limitsOf('user'), ...(users ? { users } : {}) };
}
