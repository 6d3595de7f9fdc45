import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { usePrincipals } from '../../app/people.ts';
import { visible } from '../../text/plain.tsx';
import { ErrorNote, Time } from '../../ui/parts.tsx';

const WAYS: Readonly<Record<string, string>> = { grant: 'by a role', break_glass: 'by emergency access', link: 'by a link' };

/** Who has read the conversation without owning it. */
export function Accesses({ id, version }: { readonly id: string; readonly version: number }) {
  const client = useClient();
  const nameOf = usePrincipals(id);
  const { data, error } = useLoad((signal) => client.listAccesses({ id, limit: 100 }, { signal }), [client, id, version]);
  return (
    <section className="card" aria-label="Accesses">
      <h2>Read by others</h2>
      <ErrorNote error={error} />
      {data?.data.length === 0 && data.brokenGlass.length === 0 && <p className="aside">No one but its owner has read it.</p>}
      <ul className="entries dated">
        {data?.data.map(({ reader, via, at }) => (
          <li key={reader + via + at}>
            <Time value={at} />
            <span>
              {nameOf(reader)} <span className="aside">{WAYS[via] ?? via}</span>
            </span>
          </li>
        ))}
        {data?.brokenGlass.map(({ by, at, until, reason }) => (
          <li key={by + at}>
            <Time value={at} />
            <span>
              {nameOf(by)} had emergency access until <Time value={until} />: {visible(reason)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
