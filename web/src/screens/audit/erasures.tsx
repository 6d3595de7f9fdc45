import type { AnswerOf } from '@verbatim/client';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { Link } from '../../app/router.tsx';
import { bytes, plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { ErrorNote, Time } from '../../ui/parts.tsx';

type Erasure = AnswerOf<'listErasures'>['data'][number];

export function Erasures({ id, version }: { readonly id: string; readonly version: number }) {
  const client = useClient();
  const nameOf = usePeople();
  const { data, error } = useLoad((signal) => client.listErasures({ id }, { signal }), [client, id], version);
  return (
    <section className="card" aria-label="Erasures">
      <h2>Erasures</h2>
      <ErrorNote error={error} />
      {data?.data.length === 0 && <p className="aside">Nothing was erased.</p>}
      <ul className="entries dated">
        {data?.data.map((one) => (
          <li key={one.id}>
            <Time value={one.startedAt} />
            <span>
              {one.by === 'worker' ? 'the server, at the end of the retention' : nameOf(one.by)} erased <What id={id} of={one} /> ({sizeOf(one)})
              {one.reason && `; reason: ${visible(one.reason)}`}
              {one.endedAt === null && ' (a part is not erased yet)'}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What was erased, and where it stood. */
function What({ id, of: { scope, messages } }: { readonly id: string; readonly of: Erasure }) {
  if (scope === 'session') return 'the whole conversation';
  const words = plural(messages?.length ?? 0, 'message');
  const [first] = messages ?? [];
  return first === undefined ? words : <Link to={`/sessions/${id}?message=${first}`}>{words}</Link>;
}

const sizeOf = ({ events, blobs, bytes: size }: Erasure): string =>
  [plural(events, 'event'), ...(blobs > 0 ? [plural(blobs, 'file')] : []), ...(size > 0 ? [bytes(size)] : [])].join(', ');
