import type { SearchHit } from '@verbatim/client';
import { useEffect, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { Empty, ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { visible } from '../../text/plain.tsx';

const TYPING_MS = 200;

/** Where it was found. */
const KINDS: Readonly<Record<SearchHit['kind'], string>> = { title: 'in the title', user: 'in a prompt', assistant: 'in an answer' };

/** What a search finds in titles and texts. */
export function Hits({ words }: { readonly words: string }) {
  const client = useClient();
  const [typed, setTyped] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(words), TYPING_MS);
    return () => clearTimeout(timer);
  }, [words]);
  const { data, error, isLoading } = useLoad((signal) => client.searchSessions({ q: typed, limit: 50 }, { signal }), [client, typed]);
  return (
    <div className="list-scroll">
      <ErrorNote error={error} />
      {isLoading && <Loading what="what was found" />}
      {data?.data.length === 0 && <Empty title="Nothing was found">All of the words have to occur in one title or text. Fewer words find more.</Empty>}
      <ul>
        {data?.data.map((hit) => (
          <li key={`${hit.sessionId}${hit.uuid}`} className="session-row">
            <Link to={`/sessions/${hit.sessionId}${hit.uuid === null ? '' : `?message=${hit.uuid}`}`}>
              <span className="session-title">{visible(hit.title ?? 'Without a title')}</span>
              <span className="session-brief wrap">
                <Highlighted {...hit.snippet} />
              </span>
              <span className="session-facts">
                <span>{KINDS[hit.kind]}</span>
                <Time value={hit.at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Highlighted({ text, highlights }: SearchHit['snippet']) {
  let at = 0;
  const parts = highlights.map(({ start, length }) => {
    const before = text.slice(at, start);
    at = start + length;
    return (
      <span key={start}>
        {visible(before)}
        <mark>{visible(text.slice(start, at))}</mark>
      </span>
    );
  });
  return (
    <>
      {parts}
      {visible(text.slice(at))}
    </>
  );
}
