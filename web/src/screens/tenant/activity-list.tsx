import { paginate } from '@verbatim/client';
import { useMemo, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { useQuery } from '../../app/router.tsx';
import { dayOf, fullTime, secondsTime } from '../../app/words.ts';
import { Button, ErrorNote, Loading } from '../../ui/parts.tsx';
import { type Entry, entriesOf, type Kind, KINDS } from './activity.ts';
import type { User } from './person.tsx';

const SHOWN = 6;
const MOST_PEOPLE = 1_000;
const MOST = 100;

/** Who changed what in the tenant, day by day: of what is known now, as revoked tokens are not. */
export function ActivityList() {
  const client = useClient();
  const nameOf = usePeople();
  const [kind, setKind] = useQuery('what');
  const [limit, setLimit] = useState(SHOWN);
  const { data, error, reload } = useLoad(
    async (signal) => {
      const [{ data: changes }, { data: tokens }, users] = await Promise.all([
        client.listSettingsChanges({ limit: MOST }, { signal }),
        client.listTokens({ limit: MOST }, { signal }),
        peopleOf(client),
      ]);
      return { changes, tokens, users };
    },
    [client],
  );
  const entries = useMemo(() => (data ? entriesOf({ ...data, nameOf }) : []), [data, nameOf]);
  const shown = entries.filter((one) => kind === null || one.kind === kind);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="what was changed" />;
  return (
    <section className="card" aria-label="What was changed">
      <div className="bar">
        <h2>What was changed</h2>
        <span className="spacer" />
        <div className="chips" role="group" aria-label="Show changes of">
          {[null, ...KINDS].map((one: Kind | null) => (
            <button key={one} type="button" className="chip" aria-pressed={kind === one} onClick={() => setKind(one)}>
              {one ?? 'all'}
            </button>
          ))}
        </div>
      </div>
      {shown.length === 0 && <p className="aside">Nothing of this kind was changed.</p>}
      {byDay(shown.slice(0, limit)).map(([day, ofDay]) => (
        <section key={day} className="day" aria-label={day}>
          <h3>{day}</h3>
          <ol>
            {ofDay.map(({ key, at, actor, text }) => (
              <li key={key}>
                <time dateTime={at} title={fullTime(at)}>
                  {secondsTime(at)}
                </time>
                <span>
                  {actor !== null && <strong>{actor}</strong>} {text}
                </span>
              </li>
            ))}
          </ol>
        </section>
      ))}
      {shown.length > limit && (
        <div>
          <Button onClick={() => setLimit(limit * 4)}>Show more</Button>
        </div>
      )}
    </section>
  );
}

async function peopleOf(client: ReturnType<typeof useClient>): Promise<readonly User[]> {
  const users: User[] = [];
  for await (const user of paginate<{ cursor?: string; limit?: number }, User>(client.listUsers as never, { limit: 100 })) {
    users.push(user);
    if (users.length >= MOST_PEOPLE) break;
  }
  return users;
}

/** In the order of the entries, with today and yesterday by their names. */
function byDay(entries: readonly Entry[]): readonly (readonly [day: string, entries: readonly Entry[]])[] {
  const days = new Map<string, Entry[]>();
  for (const entry of entries) {
    const day = dayInWords(entry.at);
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return [...days];
}

function dayInWords(at: string): string {
  const isOf = (time: number): boolean => new Date(at).toDateString() === new Date(time).toDateString();
  if (isOf(Date.now())) return 'Today';
  if (isOf(Date.now() - 86_400_000)) return 'Yesterday';
  const year = new Date(at).getFullYear();
  return year === new Date().getFullYear() ? dayOf(at) : `${dayOf(at)}, ${year}`;
}
