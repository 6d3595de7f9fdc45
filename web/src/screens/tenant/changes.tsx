import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { Button, ErrorNote, Time } from '../../ui/parts.tsx';
import { sectionsInWords } from './section-names.ts';

const PAGE = 10;

/** Who has changed what of the settings, and when, newest first. `version`: with another one it is read again. */
export function SettingsChanges({ version }: { readonly version: number }) {
  const client = useClient();
  const nameOf = usePeople();
  const [limit, setLimit] = useState(PAGE);
  const { data, error } = useLoad((signal) => client.listSettingsChanges({ limit }, { signal }), [client, limit, version]);
  return (
    <section className="card" aria-label="Changes of the settings">
      <h2>Changes of the settings</h2>
      <ErrorNote error={error} />
      {data?.data.length === 0 && <p className="aside">Nothing has been changed.</p>}
      <ul className="entries">
        {data?.data.map((change) => (
          <li key={change.version}>
            <span className="grow">
              {change.changedBy === null ? 'The server' : nameOf(change.changedBy)} changed <strong>{sectionsInWords(change.sections)}</strong>
            </span>
            <span className="aside">
              <Time value={change.changedAt} isPrecise />
            </span>
          </li>
        ))}
      </ul>
      {data?.nextCursor && limit < 100 && (
        <div className="line">
          <Button onClick={() => setLimit(100)}>Show more</Button>
        </div>
      )}
    </section>
  );
}
