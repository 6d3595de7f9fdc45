import type { AnswerOf } from '@verbatim/client';
import { useRef, useState } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { Button } from '../../ui/parts.tsx';
import { describedBy, Fault } from './faults.tsx';
import { SettingsForm } from './settings-form.tsx';
import { useSaving } from './use-saving.ts';

type Permissions = AnswerOf<'getSettings'>['permissions'];

/** The one that wins first. */
const DECISIONS = ['deny', 'ask', 'allow'] as const;

interface Row {
  readonly id: string;
  readonly decision: (typeof DECISIONS)[number];
  readonly rule: string;
}

interface Props {
  readonly permissions: Permissions;
  readonly version: number;
  readonly onSaved: () => void;
}

/** The rules of the tenant for tool calls, a row each. The server says which of them is none. */
export function PermissionForm({ permissions, version, onSaved }: Props) {
  const [rows, setRows] = useState(() => rowsOf(permissions));
  const saving = useSaving({ onSaved, version, fill: (stored) => setRows(rowsOf(stored.permissions)) });
  const { faults } = saving;
  const adding = useRef<HTMLButtonElement>(null);
  const change = (next: readonly Row[]): void => {
    setRows(next);
    saving.touch();
  };
  const edit = (row: Row): void => change(rows.map((one) => (one.id === row.id ? row : one)));
  const add = (): void => {
    const row: Row = { id: freshId(), decision: 'ask', rule: '' };
    saving.focusNext(row.id);
    change([...rows, row]);
  };
  const remove = (id: string): void => {
    change(rows.filter((row) => row.id !== id));
    adding.current?.focus();
  };
  const save = (): void => {
    const [body, fields] = bodyOf(rows);
    void saving.save({ permissions: body }, fields);
  };
  return (
    <SettingsForm
      label="Permissions"
      sections={['permissions']}
      saving={saving}
      saveLabel="Save the permissions"
      onSave={save}
      json={bodyOf(rows)[0]}
      action={
        <Button ref={adding} onClick={add}>
          Add a rule
        </Button>
      }
    >
      <p className="aside">
        Rules for tool calls in every conversation, such as <code>Read</code>, <code>Bash(git commit:*)</code>, <code>Edit(src/**)</code> or{' '}
        <code>mcp__github</code>. A deny rule wins over everything, an ask rule over an allow rule.
      </p>
      <ul className="rules">
        {rows.map((row, index) => (
          <li key={row.id} className="rule">
            <select
              aria-label={`What rule ${index + 1} does`}
              data-decision={row.decision}
              value={row.decision}
              onChange={({ target }) => edit({ ...row, decision: target.value as Row['decision'] })}
            >
              {DECISIONS.map((decision) => (
                <option key={decision}>{decision}</option>
              ))}
            </select>
            <input
              id={row.id}
              aria-label={`Rule ${index + 1}`}
              value={row.rule}
              spellCheck={false}
              autoCapitalize="off"
              onChange={({ target }) => edit({ ...row, rule: target.value })}
              {...describedBy(row.id, faults)}
            />
            <button type="button" className="round" aria-label={`Remove rule ${index + 1}`} title="Remove" onClick={() => remove(row.id)}>
              <Icon name="close" />
            </button>
            <Fault field={row.id} faults={faults} />
          </li>
        ))}
      </ul>
      {rows.length === 0 && <p className="aside">The tenant has no rules of its own.</p>}
    </SettingsForm>
  );
}

let made = 0;
const freshId = (): string => `rule-${(made += 1)}`;

const rowsOf = (permissions: Permissions): readonly Row[] =>
  DECISIONS.flatMap((decision) => (permissions[decision] ?? []).map((rule) => ({ id: freshId(), decision, rule })));

/** The lists that the rows make, and where in them each row is. */
function bodyOf(rows: readonly Row[]): readonly [body: Required<Permissions>, fields: ReadonlyMap<string, string>] {
  const fields = new Map<string, string>();
  const listOf = (decision: Row['decision']): string[] =>
    rows
      .filter((row) => row.decision === decision)
      .map(({ id, rule }, index) => {
        fields.set(`/permissions/${decision}/${index}`, id);
        return rule.trim();
      });
  return [{ deny: listOf('deny'), ask: listOf('ask'), allow: listOf('allow') }, fields];
}
