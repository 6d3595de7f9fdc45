import type { AnswerOf } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { bytes, count } from '../../app/words.ts';
import { Button, ErrorNote, Json } from '../../ui/parts.tsx';

type Quotas = AnswerOf<'getSettings'>['quotas'];
type Limits = NonNullable<Quotas['tenant']>;
type Quota = keyof Limits;

/** Each limit with its unit, and the smallest step in which it is set. */
const FIELDS: readonly (readonly [quota: Quota, label: string, step: string])[] = [
  ['promptsPerDay', 'Prompts a day', '1'],
  ['tokensPerDay', 'Tokens a day', '1'],
  ['dollarsPerDay', 'Dollars a day', 'any'],
  ['sessions', 'Conversations', '1'],
  ['storageBytes', 'Storage, in bytes', '1'],
];
const SCOPES = [
  ['tenant', 'The tenant as a whole'],
  ['user', 'Each person'],
] as const;

type Fields = Readonly<Record<string, string>>;

/** Limits on use, of the tenant and of each person, with what is used of them now. An empty field is no limit. */
export function QuotaForm() {
  const client = useClient();
  const settings = useLoad((signal) => client.getSettings({}, { signal }), [client]);
  const used = useLoad((signal) => client.listQuotas({}, { signal }), [client]);
  if (settings.error) return <ErrorNote error={settings.error} onRetry={settings.reload} />;
  if (!settings.data) return null;
  const { quotas } = settings.data;
  const reload = (): void => {
    settings.reload();
    used.reload();
  };
  return <Form key={JSON.stringify(quotas)} quotas={quotas} used={used.data?.data ?? []} onSaved={reload} />;
}

interface Props {
  readonly quotas: Quotas;
  readonly used: AnswerOf<'listQuotas'>['data'];
  readonly onSaved: () => void;
}

function Form({ quotas, used, onSaved }: Props) {
  const client = useClient();
  const action = useAction();
  const [fields, setFields] = useState<Fields>(() => fieldsOf(quotas));
  const usedOf = (scope: string, quota: Quota): string => {
    const state = used.find((one) => one.scope === scope && one.quota === quota);
    if (!state) return 'no limit';
    return `${scope === 'user' ? 'you have used' : 'used:'} ${quota === 'storageBytes' ? bytes(state.used) : count(state.used)}`;
  };
  return (
    <form
      className="card"
      aria-label="Limits"
      onSubmit={(event) => {
        event.preventDefault();
        void action.run(() => client.updateSettings({ body: { quotas: quotasOf(fields, quotas) } })).then((isDone) => isDone && onSaved());
      }}
    >
      <h2>Limits</h2>
      <p className="aside">An empty field is no limit. A day begins at midnight UTC.</p>
      {SCOPES.map(([scope, title]) => (
        <div key={scope} className="limits" role="group" aria-label={title}>
          <h3>{title}</h3>
          {FIELDS.map(([quota, label, step]) => (
            <label key={quota}>
              {label}
              <input
                type="number"
                min={0}
                max={Number.MAX_SAFE_INTEGER}
                step={step}
                value={fields[`${scope}.${quota}`] ?? ''}
                onChange={({ target }) => setFields({ ...fields, [`${scope}.${quota}`]: target.value })}
              />
              <span>{usedOf(scope, quota)}</span>
            </label>
          ))}
        </div>
      ))}
      <div className="line">
        <details className="grow">
          <summary>As JSON{quotas.users && `, with the limits of ${count(Object.keys(quotas.users).length)} single people, which are kept`}</summary>
          <Json value={quotasOf(fields, quotas)} label="Limits as JSON" />
        </details>
        <Button look="primary" type="submit" disabled={action.isBusy}>
          Save the limits
        </Button>
      </div>
      <ErrorNote error={action.error} />
    </form>
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
