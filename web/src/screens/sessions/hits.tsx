import type { SearchHit } from '@verbatim/client';
import { useEffect, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { count, plural } from '../../app/words.ts';
import { Button, Empty, ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { withoutMarks } from '../../text/brief.ts';
import { visible } from '../../text/plain.tsx';

const TYPING_MS = 200;

/** Where it was found. */
const KINDS: Readonly<Record<SearchHit['kind'], string>> = { title: 'in the title', user: 'in a prompt', assistant: 'in an answer' };

/** What a search finds in titles and texts. */
export function Hits({ words, onClear }: { readonly words: string; readonly onClear: () => void }) {
  const client = useClient();
  const [typed, setTyped] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(words), TYPING_MS);
    return () => clearTimeout(timer);
  }, [words]);
  const { data, error, isLoading } = useLoad((signal) => client.searchSessions({ q: typed, limit: 50 }, { signal }), [client, typed]);
  const found = conversationsOf(data?.data ?? []);
  const hits = data?.data.length ?? 0;
  return (
    <div className="list-scroll">
      <ErrorNote error={error} />
      {hits > 0 && (
        <p className="list-group" role="status">
          {data?.nextCursor && 'The first '}
          {plural(hits, 'hit')} in {plural(found.length, 'conversation')}
        </p>
      )}
      {isLoading && <Loading what="what was found" />}
      {data?.data.length === 0 && (
        <Empty title={`Nothing has “${visible(typed)}”`}>
          <p>All of the words have to occur in one title or text. Fewer words find more.</p>
          <Button onClick={onClear}>Clear the search</Button>
        </Empty>
      )}
      <ul>
        {found.map(([first, ...others]) => (
          <li key={first.sessionId} className="session-row">
            <Link to={`/sessions/${first.sessionId}${first.uuid === null ? '' : `?message=${first.uuid}`}`}>
              <span className="session-title">
                <bdi>{visible(first.title ?? first.firstText ?? 'New conversation')}</bdi>
                <Time value={first.at} />
              </span>
              <span className="session-brief wrap">
                <Highlighted {...first.snippet} />
              </span>
              <span className="session-facts">
                <span>{KINDS[first.kind]}</span>
                {others.length > 0 && <span>{count(others.length + 1)} hits</span>}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

type Found = readonly [best: SearchHit, ...others: SearchHit[]];

/** The hits of each conversation together, in the order of the best of each. One in a text says more than one in the title, which stands there anyway. */
function conversationsOf(hits: readonly SearchHit[]): readonly Found[] {
  const found = new Map<string, [SearchHit, ...SearchHit[]]>();
  for (const hit of hits) {
    const known = found.get(hit.sessionId);
    if (known === undefined) found.set(hit.sessionId, [hit]);
    else if (known[0].kind === 'title' && hit.kind !== 'title') known.unshift(hit);
    else known.push(hit);
  }
  return [...found.values()];
}

function Highlighted({ text, highlights }: SearchHit['snippet']) {
  let at = 0;
  const isCut = !/[.!?…:;)\]}"'”’»。]\s*$/u.test(text);
  const parts = highlights.map(({ start, length }) => {
    const before = text.slice(at, start);
    at = start + length;
    return (
      <span key={start}>
        {visible(withoutMarks(before))}
        <mark>{visible(withoutMarks(text.slice(start, at)))}</mark>
      </span>
    );
  });
  return (
    <>
      {parts}
      {visible(withoutMarks(text.slice(at)))}
      {isCut && '…'}
    </>
  );
}
