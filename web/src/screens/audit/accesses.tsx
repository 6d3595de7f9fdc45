import type { Accesses as Listed } from '@verbatim/client';
import type { ReactNode } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { usePrincipals } from '../../app/people.ts';
import { count, shortId } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Badge, ErrorNote, Time } from '../../ui/parts.tsx';

/** Newest reads that are counted. */
const MOST = 1_000;

/** Where the console does not know which. */
const A_ROLE = 'a role that has ended, or that of a group';

interface Reader {
  readonly key: string;
  readonly who: string;
  readonly how: ReactNode;
  /** Why a person had access without a role. */
  readonly reason?: string;
  /** When it was read last, or access was given to one who has not read. */
  readonly at: string;
  /** 0: had access, and has not read. */
  readonly count: number;
}

/** Who has read the conversation without owning it. */
export function Accesses({ id, version }: { readonly id: string; readonly version: number }) {
  const client = useClient();
  const nameOf = usePrincipals(id);
  const { data, error } = useLoad((signal) => client.listAccesses({ id, limit: MOST }, { signal }), [client, id], version);
  const grants = useLoad((signal) => client.listGrants({ id }, { signal }), [client, id], version);
  const roles = new Map(grants.data?.data.map(({ principal, role }) => [principal.replace(/^user:/, ''), role]));
  const readers = data === null ? [] : readersOf(data, nameOf, roles);
  return (
    <section className="card" aria-label="Accesses">
      <h2>Read by others</h2>
      <ErrorNote error={error} />
      {data !== null && readers.length === 0 && <p className="aside">No one but its owner has read it.</p>}
      {readers.length > 0 && (
        <>
          <table className="table by-three readers" aria-label="Read by others">
            <thead>
              <tr>
                <th scope="col">Who</th>
                <th scope="col">How</th>
                <th scope="col">Last read</th>
                <th scope="col" className="number">
                  Count
                </th>
              </tr>
            </thead>
            <tbody>
              {readers.map((one) => (
                <tr key={one.key}>
                  <th scope="row">{one.who}</th>
                  <td data-label="How">
                    {one.how}
                    {one.reason !== undefined && <span className="aside">{one.reason}</span>}
                  </td>
                  <td data-label="Last read">{one.count === 0 ? <span className="aside">not read yet</span> : <Time value={one.at} />}</td>
                  <td className="number" data-label="Count">
                    {count(one.count)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <p className="aside">
            Reads of a person within one hour count once.
            {data!.nextCursor !== null && ` Counted are the newest ${count(MOST)}.`}
          </p>
        </>
      )}
    </section>
  );
}

/** One row for each reader and way. What was read by an emergency access is counted in the row of that. */
function readersOf({ data, brokenGlass }: Listed, nameOf: (principal: string) => string, roles: ReadonlyMap<string, string>): readonly Reader[] {
  const counted = new Set<Listed['data'][number]>();
  const glasses = brokenGlass.map(({ by, at, until, reason }): Reader => {
    const reads = data.filter((one) => one.via === 'break_glass' && one.reader.endsWith(by) && one.at >= at && one.at <= until && !counted.has(one));
    reads.forEach((one) => counted.add(one));
    const how = (
      <>
        <Badge tone="warn">emergency access</Badge> <Time value={at} /> until <Time value={until} />
      </>
    );
    return { key: `${by} ${at}`, who: nameOf(by), how, reason: visible(reason), at: latest(reads) ?? at, count: reads.length };
  });
  const rows = new Map<string, Reader>();
  for (const one of data) {
    if (counted.has(one)) continue;
    const { reader, via, at } = one;
    const key = `${reader} ${via}`;
    const known = rows.get(key);
    const [, link] = /^link:(.+)$/.exec(reader) ?? [];
    rows.set(key, {
      key,
      who: link === undefined ? nameOf(reader) : 'A person without an account',
      how: link === undefined ? wayOf(via, roles.get(reader.replace(/^user:/, ''))) : `link ${shortId(link)}`,
      at: known !== undefined && known.at > at ? known.at : at,
      count: (known?.count ?? 0) + 1,
    });
  }
  return [...glasses, ...rows.values()].toSorted((one, other) => (one.at < other.at ? 1 : -1));
}

const latest = (reads: Listed['data']): string | undefined =>
  reads
    .map(({ at }) => at)
    .toSorted()
    .at(-1);

function wayOf(via: string, role: string | undefined): string {
  if (via === 'grant') return role ?? A_ROLE;
  return via === 'break_glass' ? 'emergency access' : visible(via);
}
