import { paginate, type SessionListItem } from '@verbatim/client';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';

const MOST = 500;

export interface Known {
  /** Titles of the conversations that the person may read. */
  readonly titles: ReadonlyMap<string, string>;
  /** All of them, as lists show them. */
  readonly rows: ReadonlyMap<string, SessionListItem>;
}

const NOTHING: Known = { titles: new Map(), rows: new Map() };

/** Conversations of the tenant by their ids: an admin and an auditor may know of all, and read the titles of some. */
export function useKnown(): Known {
  const client = useClient();
  const { data } = useLoad(async () => {
    // Archived ones, which those are whose content was erased, are in a list of their own.
    const lists = await Promise.all([false, true].map((archived) => Promise.all(SCOPES.map((scope) => rowsOf(client, { scope, archived })))));
    const [own = [], shared = [], tenant = []] = SCOPES.map((_, at) => lists.flatMap((list) => list[at]!));
    return {
      titles: new Map([...own, ...shared].map(({ id, title, firstText }) => [id, title ?? firstText ?? 'New conversation'])),
      rows: new Map(tenant.map((row) => [row.id, row])),
    };
  }, [client]);
  return data ?? NOTHING;
}

type Rows = readonly SessionListItem[];
const SCOPES = ['own', 'shared', 'tenant'] as const;

async function rowsOf(client: ReturnType<typeof useClient>, of: { readonly scope: (typeof SCOPES)[number]; readonly archived: boolean }): Promise<Rows> {
  const rows: SessionListItem[] = [];
  const query = { limit: 100, scope: of.scope, ...(of.archived ? { archived: true } : {}) };
  for await (const row of paginate<{ cursor?: string; limit?: number }, SessionListItem>(client.listSessions as never, query)) {
    rows.push(row);
    if (rows.length >= MOST) break;
  }
  return rows;
}
