import type { Client, Erasures, TranscriptMessage } from '@verbatim/client';
import { useAccount } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { visible } from '../../text/plain.tsx';
import { Time } from '../../ui/parts.tsx';
import { useTranscript } from './context.tsx';

type Erasure = Erasures['data'][number];

/** The receipts of a conversation, read once for all its erased messages, and once more for a message that is in none of them. */
const read = new WeakMap<Client, Map<string, Promise<readonly Erasure[]>>>();

async function erasureOf(client: Client, id: string, uuid: string): Promise<Erasure | null> {
  const lists = read.get(client) ?? new Map<string, Promise<readonly Erasure[]>>();
  read.set(client, lists);
  const reload = (): Promise<readonly Erasure[]> => {
    const list = client.listErasures({ id }).then(
      ({ data }) => data,
      () => [], // the message says that it was erased, whether or not the person may read the receipts
    );
    lists.set(id, list);
    return list;
  };
  const of = (list: readonly Erasure[]): Erasure | undefined => list.find(({ scope, messages }) => scope === 'session' || messages?.includes(uuid) === true);
  const known = lists.get(id);
  if (known === undefined) return of(await reload()) ?? null;
  const found = of(await known);
  // It was erased after the list was read, which the first of those that miss it reads again.
  return found ?? of(await (lists.get(id) === known ? reload() : lists.get(id)!)) ?? null;
}

/** What stays of a message whose content was erased: whose it was, and the receipt of the erasure. */
export function ErasedMessage({ message }: { readonly message: TranscriptMessage }) {
  const { conversation, nameOf } = useTranscript();
  const { by } = message;
  return (
    <>
      {by?.kind === 'user' && by.id !== undefined && (
        <header>
          <strong>{nameOf(by.id)}</strong> <Time value={message.timestamp} />
        </header>
      )}
      <p className="erased">
        The content of this message was erased.
        {conversation !== null && <Receipt uuid={message.uuid} />}
      </p>
    </>
  );
}

/** Separate, since a reader without an account has no client. */
function Receipt({ uuid }: { readonly uuid: string }) {
  const { id, nameOf } = useTranscript();
  const { client } = useAccount();
  const { data: erasure } = useLoad(() => erasureOf(client, id, uuid), [client, id, uuid]);
  if (erasure === null) return null;
  return (
    <>
      {' '}
      {erasure.by === 'worker' ? 'By the server, at the end of the retention' : `By ${nameOf(erasure.by)}`}, <Time value={erasure.startedAt} />
      {erasure.reason && `: ${visible(erasure.reason)}`}. <Link to={`/sessions/${id}/audit`}>All erasures</Link>
    </>
  );
}
