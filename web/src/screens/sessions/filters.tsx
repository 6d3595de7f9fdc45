import type { SessionListItem } from '@verbatim/client';
import type { FocusEvent } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useOthers, usePeople } from '../../app/people.ts';
import { dateOf, modelName } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Button } from '../../ui/parts.tsx';
import { foldersOf } from './folder-form.tsx';
import { isFiltered, NO_FILTERS } from './use-filters.ts';
import type { Filters } from './use-sessions.ts';

/** Whose conversations, beside those of one person. */
const SCOPE_NAMES: Readonly<Record<string, string>> = { shared: 'shared with me', tenant: "everyone's, without texts" };

interface Props {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
  /** The models and users on offer are those of the rows. */
  readonly rows: readonly SessionListItem[];
  readonly onClose: () => void;
}

export function FilterBar({ filters, onChange, rows, onClose }: Props) {
  const { me } = useAccount();
  const nameOf = usePeople();
  const people = useOthers().map(({ id }) => id);
  const set = (change: Partial<Filters>): void => onChange({ ...filters, ...change });
  const choices = (values: readonly string[], chosen: string | null): readonly string[] =>
    [...new Set([...(chosen === null ? [] : [chosen]), ...values])].sort();
  /** What is set makes room for the list, as soon as the person turns to that. */
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    const isHere = relatedTarget instanceof Element && (currentTarget.contains(relatedTarget) || relatedTarget.closest('.list-head') !== null);
    if (isFiltered(filters) && !isHere && document.hasFocus()) onClose();
  };
  return (
    <div className="filters" onBlur={onBlur}>
      <Choice
        label="Whose"
        value={filters.user ?? filters.scope}
        none="mine"
        values={[
          'shared',
          ...(me.role === 'member' ? [] : ['tenant']),
          ...(me.role === 'admin' ? choices([...people, ...rows.map(({ userId }) => userId)], filters.user).filter((one) => one !== me.userId) : []),
        ]}
        nameOf={(one) => SCOPE_NAMES[one] ?? nameOf(one)}
        onChange={(one) => set(one === null || one in SCOPE_NAMES ? { scope: one, user: null } : { scope: 'tenant', user: one })}
      />
      <Choice label="Status" value={filters.status} values={['idle', 'running', 'waiting', 'closed']} onChange={(status) => set({ status })} />
      <Choice
        label="Model"
        value={filters.model}
        values={choices(
          rows.map(({ model }) => model),
          filters.model,
        )}
        onChange={(model) => set({ model })}
      />
      <Choice label="Folder" value={filters.folder} values={choices(foldersOf(rows), filters.folder)} onChange={(folder) => set({ folder })} />
      <label>
        Changed since
        <input type="date" value={filters.since ?? ''} onChange={(event) => set({ since: event.target.value || null })} />
      </label>
      <label className="check">
        <input type="checkbox" checked={filters.archived} onChange={(event) => set({ archived: event.target.checked })} /> Only archived
      </label>
      <div className="bar">
        <Button look="quiet" className="at-start" onClick={() => onChange(NO_FILTERS)}>
          Clear
        </Button>
        <span className="spacer" />
        <Button onClick={onClose}>Done</Button>
      </div>
    </div>
  );
}

/** What is filtered by, each to be taken away, while the fields are not shown. */
export function FilterChips({ filters, onChange }: Pick<Props, 'filters' | 'onChange'>) {
  const nameOf = usePeople();
  const { scope, user, status, model, folder, since, archived } = filters;
  const chips: readonly (readonly [words: string | null, without: Partial<Filters>])[] = [
    [user === null ? (scope === null ? null : (SCOPE_NAMES[scope] ?? visible(scope))) : `of ${nameOf(user)}`, { scope: null, user: null }],
    [status === null ? null : visible(status), { status: null }],
    [model === null ? null : visible(modelName(model)), { model: null }],
    [folder === null ? null : `in ${visible(folder)}`, { folder: null }],
    [since === null ? null : `since ${dateOf(since)}`, { since: null }],
    [archived ? 'archived' : null, { archived: false }],
  ];
  return (
    <div className="chips filter-chips" role="group" aria-label="Filters">
      {chips.map(
        ([words, without]) =>
          words !== null && (
            <button key={words} type="button" className="chip" aria-label={`Without the filter ${words}`} onClick={() => onChange({ ...filters, ...without })}>
              {words} <Icon name="close" />
            </button>
          ),
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string | null;
  readonly values: readonly string[];
  readonly nameOf?: (value: string) => string;
  /** What is shown for no choice. */
  readonly none?: string;
  readonly onChange: (value: string | null) => void;
}

function Choice({ label, value, values, nameOf = (one) => one, none = 'any', onChange }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value ?? ''} onChange={(event) => onChange(event.target.value || null)}>
        <option value="">{none}</option>
        {values.map((one) => (
          <option key={one} value={one}>
            {nameOf(one)}
          </option>
        ))}
      </select>
    </label>
  );
}
