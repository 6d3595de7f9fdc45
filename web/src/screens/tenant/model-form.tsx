import type { AnswerOf } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { count } from '../../app/words.ts';
import { Button, ErrorNote } from '../../ui/parts.tsx';

type Models = AnswerOf<'getSettings'>['models'];

const SCOPES = [
  ['tenant', 'The tenant as a whole'],
  ['user', 'Each person'],
] as const;

/** Which models may be asked, by the tenant and by each person. An empty field is every model, `none` is no model. */
export function ModelForm() {
  const client = useClient();
  const settings = useLoad((signal) => client.getSettings({}, { signal }), [client]);
  if (settings.error) return <ErrorNote error={settings.error} onRetry={settings.reload} />;
  if (!settings.data) return null;
  const { models } = settings.data;
  return <Form key={JSON.stringify(models)} models={models} onSaved={settings.reload} />;
}

function Form({ models, onSaved }: { readonly models: Models; readonly onSaved: () => void }) {
  const client = useClient();
  const action = useAction();
  const [fields, setFields] = useState(() => ({ tenant: textOf(models.tenant), user: textOf(models.user) }));
  const save = async (): Promise<void> => {
    const { users } = (await client.getSettings()).models;
    const lists = Object.fromEntries(SCOPES.flatMap(([scope]) => (fields[scope].trim() === '' ? [] : [[scope, namesIn(fields[scope])]])));
    await client.updateSettings({ body: { models: { ...lists, ...(users ? { users } : {}) } } });
  };
  return (
    <form
      className="card"
      aria-label="Models"
      onSubmit={(event) => {
        event.preventDefault();
        void action.run(save).then((isDone) => isDone && onSaved());
      }}
    >
      <h2>Models</h2>
      <p className="aside">
        Names with commas between them; a name that ends with * is the beginning of names. An empty field is every model; <code>{NONE}</code> is no model.
        {models.users && ` ${count(Object.keys(models.users).length)} single people have lists of their own, which are kept.`}
      </p>
      {SCOPES.map(([scope, label]) => (
        <label key={scope}>
          {label}
          <input value={fields[scope]} placeholder="every model" onChange={({ target }) => setFields({ ...fields, [scope]: target.value })} />
        </label>
      ))}
      <div className="line">
        <Button look="primary" type="submit" disabled={action.isBusy}>
          Save the models
        </Button>
      </div>
      <ErrorNote error={action.error} />
    </form>
  );
}

/** How the form writes a list without names. */
const NONE = 'none';

const textOf = (names: readonly string[] | undefined): string => (names === undefined ? '' : names.length === 0 ? NONE : names.join(', '));

const namesIn = (text: string): string[] =>
  text.trim() === NONE
    ? []
    : text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '');
