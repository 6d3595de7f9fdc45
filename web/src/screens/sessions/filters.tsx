import type { SessionListItem } from '@verbatim/client';
import { useAccount } from '../../app/account.tsx';
import { usePeople } from '../../app/people.ts';
import { Button } from '../../ui/parts.tsx';
import { foldersOf } from './folder-form.tsx';
import type { Filters } from './use-sessions.ts';

export const NO_FILTERS: Filters = { scope: null, status: null, user: null, model: null, since: null, folder: null, archived: false };

interface Props {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
  /** The models and users on offer are those of the rows. */
  readonly rows: readonly SessionListItem[];
  /** Begins to select several conversations. */
  readonly onSelect: () => void;
}

export function FilterBar({ filters, onChange, rows, onSelect }: Props) {
  const { me } = useAccount();
  const nameOf = usePeople();
  const set = (change: Partial<Filters>): void => onChange({ ...filters, ...change });
  const choices = (values: readonly string[], chosen: string | null): readonly string[] =>
    [...new Set([...(chosen === null ? [] : [chosen]), ...values])].sort();
  return (
    <div className="filters">
      <Choice
        label="Of"
        value={filters.scope}
        none="me"
        values={me.role === 'member' ? ['shared'] : ['shared', 'tenant']}
        nameOf={(one) => (one === 'shared' ? 'others, shared with me' : 'everyone, without texts')}
        onChange={(scope) => set({ scope })}
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
      {me.role === 'admin' && (
        <Choice
          label="User"
          value={filters.user}
          values={choices(
            rows.map(({ userId }) => userId),
            filters.user,
          )}
          nameOf={nameOf}
          onChange={(user) => set({ user })}
        />
      )}
      <label>
        Changed since
        <input type="date" value={filters.since ?? ''} onChange={(event) => set({ since: event.target.value || null })} />
      </label>
      <label className="check">
        <input type="checkbox" checked={filters.archived} onChange={(event) => set({ archived: event.target.checked })} /> Archived
      </label>
      <div className="bar">
        <Button onClick={onSelect}>Select several</Button>
        <span className="spacer" />
        <Button look="quiet" onClick={() => onChange(NO_FILTERS)}>
          Clear
        </Button>
      </div>
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
