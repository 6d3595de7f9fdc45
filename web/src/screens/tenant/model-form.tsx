import type { AnswerOf } from '@verbatim/client';
import { useState } from 'react';
import { count } from '../../app/words.ts';
import { SCOPES, SettingsForm } from './settings-form.tsx';
import { namesIn, NONE, textOf } from './names.ts';
import { useSaving } from './use-saving.ts';

type Models = AnswerOf<'getSettings'>['models'];

/** Which models may be asked, by the tenant and by each person. An empty field is every model, `none` is no model. */
export function ModelForm({ models, version }: { readonly models: Models; readonly version: number }) {
  const [fields, setFields] = useState(() => fieldsOf(models));
  const saving = useSaving({ version, fill: (stored) => setFields(fieldsOf(stored.models)) });
  const change = (scope: keyof typeof fields, value: string): void => {
    setFields({ ...fields, [scope]: value });
    saving.touch();
  };
  // Lists of single people and tokens, which the form does not show, stay as they are stored now.
  const save = (): void =>
    void saving.save(({ models: { tenant: _tenant, user: _user, ...others } }) => {
      const lists = Object.fromEntries(SCOPES.flatMap(([scope]) => (fields[scope].trim() === '' ? [] : [[scope, namesIn(fields[scope])]])));
      return { models: { ...lists, ...others } };
    });
  return (
    <SettingsForm label="Models" sections={['models']} saving={saving} saveLabel="Save the models" onSave={save}>
      <p className="aside">
        Names of models, with commas between them. <code>claude-haiku-*</code> is every model whose name begins so. An empty field is every model;{' '}
        <code>{NONE}</code> is no model.
        {models.users && ` ${people(Object.keys(models.users).length)}, which this form does not change.`}
      </p>
      {SCOPES.map(([scope, label]) => (
        <label key={scope}>
          {label}
          <input className="mono" value={fields[scope]} placeholder="every model" onChange={({ target }) => change(scope, target.value)} />
        </label>
      ))}
    </SettingsForm>
  );
}

const fieldsOf = ({ tenant, user }: Models) => ({ tenant: textOf(tenant), user: textOf(user) });

const people = (several: number): string => (several === 1 ? 'One person has a list of their own' : `${count(several)} people have lists of their own`);
