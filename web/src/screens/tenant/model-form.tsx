import type { AnswerOf } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { count } from '../../app/words.ts';
import { SCOPES, SettingsForm } from './settings-form.tsx';
import { useSaving } from './use-saving.ts';

type Models = AnswerOf<'getSettings'>['models'];

/** Which models may be asked, by the tenant and by each person. An empty field is every model, `none` is no model. */
export function ModelForm({ models }: { readonly models: Models }) {
  const client = useClient();
  const saving = useSaving(nothing);
  const [fields, setFields] = useState(() => ({ tenant: textOf(models.tenant), user: textOf(models.user) }));
  const change = (scope: keyof typeof fields, value: string): void => {
    setFields({ ...fields, [scope]: value });
    saving.touch();
  };
  // Lists of single people, which the form does not show, stay as they are stored now.
  const save = (): void =>
    void saving.save(async () => {
      const { users } = (await client.getSettings()).models;
      const lists = Object.fromEntries(SCOPES.flatMap(([scope]) => (fields[scope].trim() === '' ? [] : [[scope, namesIn(fields[scope])]])));
      return { models: { ...lists, ...(users ? { users } : {}) } };
    });
  return (
    <SettingsForm label="Models" saving={saving} saveLabel="Save the models" onSave={save}>
      <p className="aside">
        Names with commas between them; a name that ends with * is the beginning of names. An empty field is every model; <code>{NONE}</code> is no model.
        {models.users && ` ${count(Object.keys(models.users).length)} single people have lists of their own, which are kept.`}
      </p>
      {SCOPES.map(([scope, label]) => (
        <label key={scope}>
          {label}
          <input value={fields[scope]} placeholder="every model" onChange={({ target }) => change(scope, target.value)} />
        </label>
      ))}
    </SettingsForm>
  );
}

const nothing = (): void => undefined;

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
