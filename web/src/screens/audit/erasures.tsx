import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { bytes, plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { ErrorNote, Time } from '../../ui/parts.tsx';

export function Erasures({ id, version }: { readonly id: string; readonly version: number }) {
  const client = useClient();
  const nameOf = usePeople();
  const { data, error } = useLoad((signal) => client.listErasures({ id }, { signal }), [client, id, version]);
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
              {one.by === 'worker' ? 'the server, at the end of the retention' : nameOf(one.by)} erased{' '}
              {one.scope === 'session' ? 'the whole conversation' : plural(one.messages?.length ?? 0, 'message')}: {plural(one.events, 'event')},{' '}
              {plural(one.blobs, 'file')}, {bytes(one.bytes)}
              {one.reason && `; reason: ${visible(one.reason)}`}
              {one.endedAt === null && ' (a part is not erased yet)'}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
