import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { plural } from '../../app/words.ts';
import { ErrorNote, Loading } from '../../ui/parts.tsx';
import type { Takes } from '../conversation/moves.ts';
import type { Difference } from './differences.tsx';
import { nameOf } from './name.ts';

/** Names that are shown. */
const NAMES = 8;

const CHOICES: readonly (readonly [Takes, string])[] = [
  ['messages', 'The conversation'],
  ['files', 'The files'],
  ['both', 'Both'],
];

/** What becomes of a file that a rewind changes from the current one. */
const BECOMES: Readonly<Record<Difference['change'], string>> = { added: 'comes back', changed: 'changes back', deleted: 'is removed' };

interface Props {
  readonly id: string;
  /** The message before which the rewind leads. */
  readonly message: string;
  readonly takes: Takes;
  readonly onTake: (takes: Takes) => void;
}

/** The choice of what goes back, and which files would. */
export function RewindFiles({ id, message, takes, onTake }: Props) {
  const client = useClient();
  const { data, error } = useLoad((signal) => client.diffFiles({ id, rewind: message, patches: false }, { signal }), [client, id, message]);
  return (
    <>
      <fieldset className="radios" aria-label="What goes back">
        {CHOICES.map(([value, label]) => (
          <label key={value}>
            <input type="radio" name="takes" value={value} checked={takes === value} onChange={() => onTake(value)} /> {label}
          </label>
        ))}
      </fieldset>
      <ErrorNote error={error} />
      {takes !== 'messages' && error === null && (data ? <Files data={data.data} /> : <Loading what="the files" />)}
    </>
  );
}

function Files({ data }: { readonly data: readonly Difference[] }) {
  if (data.length === 0) return <p>No file differs from then.</p>;
  return (
    <>
      <p>{plural(data.length, 'file')} as before this message:</p>
      <ul className="lines" aria-label="Files that go back">
        {data.slice(0, NAMES).map(({ path, change }) => (
          <li key={path}>
            <bdi className="mono">{nameOf(path)}</bdi> <span className="aside">{BECOMES[change]}</span>
          </li>
        ))}
        {data.length > NAMES && <li className="aside">and {data.length - NAMES} more</li>}
      </ul>
    </>
  );
}
