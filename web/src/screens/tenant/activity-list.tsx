import { type Client, paginate } from '@verbatim/client';
import { useMemo, useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { Link, useQuery } from '../../app/router.tsx';
import { dayOf, fullTime, secondsTime, shortId } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Button, ErrorNote, Loading } from '../../ui/parts.tsx';
import { type Entry, entriesOf, isActivityKind, kindInWords, type Kind, ACTIVITY_KINDS, KINDS } from './activity.ts';
import type { User } from './person.tsx';

const SHOWN = 6;
const MOST_PEOPLE = 1_000;
const MOST = 100;

/** Who changed what in the tenant and did what to its conversations, day by day. Of tokens, those that are known now: revoked ones are not. Auditors see what was done to conversations. */
export function ActivityList({ titles }: { readonly titles: ReadonlyMap<string, string> }) {
  const { client, me } = useAccount();
  const isAdmin = me.role === 'admin';
  const nameOf = usePeople();
  const [kind, setKind] = useQuery('what');
  const [limit, setLimit] = useState(SHOWN);
  /** Of an older page of what was done to conversations. */
  const [cursor, setCursor] = useState<string | null>(null);
  const show = (one: Kind | null): void => {
    setKind(one);
    setCursor(null);
    setLimit(SHOWN);
  };
  const { data, error, reload } = useLoad(
    async (signal) => {
      const acts = await client.listActivity({ limit: MOST, ...(isActivityKind(kind) ? { kind } : {}), ...(cursor === null ? {} : { cursor }) }, { signal });
      if (!isAdmin || cursor !== null || isActivityKind(kind)) return { changes: [], tokens: [], users: [], acts: acts.data, next: acts.nextCursor };
      const [{ data: changes }, { data: tokens }, users] = await Promise.all([
        client.listSettingsChanges({ limit: MOST }, { signal }),
        client.listTokens({ limit: MOST }, { signal }),
        peopleOf(client),
      ]);
      return { changes, tokens, users, acts: acts.data, next: acts.nextCursor };
    },
    [client, isAdmin, kind, cursor],
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
          {[null, ...(isAdmin ? KINDS : ACTIVITY_KINDS)].map((one: Kind | null) => (
            <button key={one} type="button" className="chip" aria-pressed={kind === one} onClick={() => show(one)}>
              {one === null ? 'all' : kindInWords(one)}
            </button>
          ))}
        </div>
      </div>
      {shown.length === 0 && <p className="aside">Nothing of this kind was changed.</p>}
      {byDay(shown.slice(0, limit)).map(([day, ofDay]) => (
        <section key={day} className="day" aria-label={day}>
          <h3>{day}</h3>
          <ol>
            {ofDay.map(({ key, at, actor, text, sessionId, rest }) => (
              <li key={key}>
                <time dateTime={at} title={fullTime(at)}>
                  {secondsTime(at)}
                </time>
                <span>
                  {actor !== null && <strong>{actor}</strong>} {text}
                  {sessionId !== undefined && (
                    <>
                      {' '}
                      <Link to={`/sessions/${sessionId}/audit`} title={sessionId}>
                        the conversation {titles.has(sessionId) ? `“${visible(titles.get(sessionId)!)}”` : shortId(sessionId)}
                      </Link>
                    </>
                  )}
                  {rest}
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
      {shown.length <= limit && (cursor !== null || data.next !== null) && (
        <div className="bar">
          {cursor !== null && <Button onClick={() => setCursor(null)}>Newest</Button>}
          {data.next !== null && <Button onClick={() => setCursor(data.next)}>What was done to conversations before</Button>}
        </div>
      )}
    </section>
  );
}

async function peopleOf(client: Client): Promise<readonly User[]> {
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
