import { useAccount } from '../app/account.tsx';
import { useLoad } from '../app/load.ts';
import { Link } from '../app/router.tsx';

/** Subagents that the head of a conversation links to. */
const MOST = 9;

/** The conversations of a client that belong with one: those of the same name, as from before it was compacted there, the one that it is forked from or works for, and its subagents. */
export function Related({ id: own, metadata }: { readonly id: string; readonly metadata: Readonly<Record<string, unknown>> }) {
  const { client } = useAccount();
  const { group, parent, forkOf } = namesIn(metadata['gateway']);
  const { data } = useLoad(
    async (signal) => {
      const having = async (gateway: object, limit: number) =>
        (await client.listSessions({ metadata: JSON.stringify({ gateway }), limit }, { signal })).data.map(({ id, title, firstText }) => ({
          id,
          title: title ?? firstText ?? id,
        }));
      const [above, below, beside] = await Promise.all([
        parent === null ? [] : having({ group: parent }, 1),
        group === null ? [] : having({ parent: group }, MOST),
        group === null ? [] : having({ group }, MOST + 1),
      ]);
      return { above, below, beside: beside.filter(({ id }) => id !== own) };
    },
    [client, group, parent, own],
  );
  return (
    <>
      {forkOf !== null && (
        <Link className="aside" to={`/sessions/${forkOf}`}>
          forked from
        </Link>
      )}
      {data?.above.map(({ id, title }) => (
        <Link key={id} className="aside" to={`/sessions/${id}`} title={title}>
          subagent of
        </Link>
      ))}
      <Numbered what="other part" all={data?.beside ?? []} />
      <Numbered what="subagent" all={data?.below ?? []} />
    </>
  );
}

interface Named {
  readonly id: string;
  readonly title: string;
}

function Numbered({ what, all }: { readonly what: string; readonly all: readonly Named[] }) {
  if (all.length === 0) return null;
  return (
    <span className="aside not-phone">
      {what}s:{' '}
      {all.map(({ id, title }, at) => (
        <Link key={id} to={`/sessions/${id}`} title={title} aria-label={`${what} ${at + 1}: ${title}`}>
          {at + 1}{' '}
        </Link>
      ))}
    </span>
  );
}

function namesIn(gateway: unknown): { readonly group: string | null; readonly parent: string | null; readonly forkOf: string | null } {
  const names: Readonly<Record<string, unknown>> = typeof gateway === 'object' && gateway !== null ? { ...gateway } : {};
  const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return { group: textOf(names['group']), parent: textOf(names['parent']), forkOf: textOf(names['forkOf']) };
}
