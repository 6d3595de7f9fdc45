import { Icon } from '../../ui/icon.tsx';
import { describedBy, Fault, type Faults } from './faults.tsx';
import type { Header } from './headers.ts';

interface Props {
  readonly headers: readonly Header[];
  /** What has them, as the labels call it. */
  readonly title: string;
  readonly faults: Faults;
  readonly onChange: (headers: readonly Header[]) => void;
  /** The element that has the focus once a header is gone. */
  readonly adder: string;
  readonly focusNext: (id: string) => void;
}

/** Headers, a row each. A value is written, and never shown. */
export function HeaderFields({ headers, title, faults, onChange, adder, focusNext }: Props) {
  const change = (header: Header): void => onChange(headers.map((one) => (one.id === header.id ? header : one)));
  const remove = (id: string): void => {
    focusNext(adder);
    onChange(headers.filter((header) => header.id !== id));
  };
  return (
    <ul className="rules">
      {headers.length > 0 && (
        <li className="rule header aside" aria-hidden="true">
          <span>Header</span>
          <span>Value</span>
        </li>
      )}
      {headers.map((header, index) => (
        <li key={header.id} className="rule header">
          <input
            id={header.id}
            aria-label={`Name of header ${index + 1} of ${title}`}
            placeholder="Name"
            value={header.name}
            spellCheck={false}
            autoCapitalize="off"
            onChange={({ target }) => change({ ...header, name: target.value })}
            {...describedBy(header.id, faults)}
          />
          <input
            type="password"
            aria-label={`Value of header ${index + 1} of ${title}`}
            placeholder={header.isStored ? 'stored, and not shown' : 'Value'}
            value={header.value}
            autoComplete="new-password"
            onChange={({ target }) => change({ ...header, value: target.value })}
            {...describedBy(header.id, faults)}
          />
          <button type="button" className="round" aria-label={`Remove header ${index + 1} of ${title}`} title="Remove" onClick={() => remove(header.id)}>
            <Icon name="close" />
          </button>
          <Fault field={header.id} faults={faults} />
        </li>
      ))}
      {headers.some(({ isStored }) => isStored) && (
        <li className="aside">Values are kept as secrets. A stored value stays when its field is left empty and the URL is the same.</li>
      )}
    </ul>
  );
}
