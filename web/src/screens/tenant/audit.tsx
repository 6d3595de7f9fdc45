import { type AnswerOf, paginate, type SessionListItem } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { Link } from '../../app/router.tsx';
import { count, plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Badge, Button, ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { ActivityList } from './activity-list.tsx';
import { SectionHead } from './section-head.tsx';

/** Who changed what in the tenant, and whether the logs of its conversations are as they were recorded. */
export function TenantAudit() {
  return (
    <>
      <SectionHead
        title="Audit"
        about="Who changed settings, people and tokens, what was erased, held, shared and opened, and whether the logs of its conversations are as they were recorded."
      />
      <ActivityList />
      <Logs />
    </>
  );
}

type Outcome = AnswerOf<'auditTenant'>['data'][number];

/** The logs of all sessions of the tenant, page by page. */
function Logs() {
  const client = useClient();
  const [cursor, setCursor] = useState<string | null>(null);
  const { titles, owners } = useKnown();
  const nameOf = usePeople();
  const { data, error, reload } = useLoad((signal) => client.auditTenant({ ...(cursor === null ? {} : { cursor }) }, { signal }), [client, cursor]);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the audit" />;
  const invalid = data.data.filter(({ valid }) => !valid);
  const differing = data.data.some(({ rowMatches }) => !rowMatches);
  const events = data.data.reduce((sum, one) => sum + one.events, 0);
  return (
    <section className="card logs" aria-label="Logs of the conversations">
      <div className="bar">
        <h2>Logs of the conversations</h2>
        {invalid.length === 0 && data.valid ? (
          <Badge tone="good">every log is valid</Badge>
        ) : (
          <Badge tone="bad">
            {count(invalid.length)} of {plural(data.data.length, 'log')} {invalid.length === 1 ? 'is' : 'are'} not valid
          </Badge>
        )}
        <span className="spacer" />
        <span className="aside">
          {data.checkpoint ? (
            <>
              Checkpoint of {count(data.checkpoint.size)} leaves, <Time value={data.checkpoint.createdAt} isPrecise />
            </>
          ) : (
            'No checkpoint yet'
          )}
        </span>
      </div>
      <p className="aside">
        {plural(data.data.length, 'conversation')} on this page, {plural(events, 'event')}, each read and verified now.
      </p>
      {differing && (
        <p className="note warn">
          <span>
            <strong>Its row differs</strong>: the log is intact, but what the database keeps beside it for lists and rights says something else. Open the audit
            of the conversation; the log is what counts, and the operator finds who changed the row.
          </span>
        </p>
      )}
      <table className="table middle in-line" aria-label="Logs of the conversations">
        <thead>
          <tr>
            <th scope="col">Conversation</th>
            <th scope="col">Log</th>
            <th scope="col" className="number">
              Events
            </th>
          </tr>
        </thead>
        <tbody>
          {data.data
            .toSorted((one, other) => Number(one.valid) - Number(other.valid))
            .map((one) => {
              const owner = owners.get(one.sessionId);
              return <Log key={one.sessionId} outcome={one} title={titles.get(one.sessionId)} owner={owner === undefined ? null : nameOf(owner)} />;
            })}
        </tbody>
      </table>
      {(data.nextCursor !== null || cursor !== null) && (
        <div className="bar">
          {cursor !== null && <Button onClick={() => setCursor(null)}>First page</Button>}
          {data.nextCursor !== null && <Button onClick={() => setCursor(data.nextCursor)}>Next page</Button>}
        </div>
      )}
    </section>
  );
}

interface LogProps {
  readonly outcome: Outcome;
  readonly title: string | undefined;
  readonly owner: string | null;
}

function Log({ outcome: { sessionId, valid, events, firstInvalidSeq, rowMatches }, title, owner }: LogProps) {
  return (
    <tr>
      <th scope="row">
        <Link to={`/sessions/${sessionId}/audit`}>{title === undefined ? `A conversation of ${owner ?? 'a person who is not known'}` : visible(title)}</Link>
        {title === undefined && <span className="aside"> not shared with you</span>}
      </th>
      <td data-label="Log">
        {valid ? (
          <span className="quiet-good">valid</span>
        ) : (
          <Badge tone="bad">{typeof firstInvalidSeq === 'number' ? `invalid from event ${firstInvalidSeq}` : 'not valid'}</Badge>
        )}{' '}
        {!rowMatches && <Badge tone="warn">its row differs</Badge>}
      </td>
      <td className="number" data-label="Events">
        {count(events)}
      </td>
    </tr>
  );
}

const MOST = 500;

interface Known {
  /** Titles of the conversations that the person may read. */
  readonly titles: ReadonlyMap<string, string>;
  /** Owners of all of them, by their ids. */
  readonly owners: ReadonlyMap<string, string>;
}

const NOTHING: Known = { titles: new Map(), owners: new Map() };

function useKnown(): Known {
  const client = useClient();
  const { data } = useLoad(async () => {
    // Archived ones, which those are whose content was erased, are in a list of their own.
    const lists = await Promise.all([false, true].map((archived) => Promise.all(SCOPES.map((scope) => rowsOf(client, { scope, archived })))));
    const [own = [], shared = [], tenant = []] = SCOPES.map((_, at) => lists.flatMap((list) => list[at]!));
    return {
      titles: new Map([...own, ...shared].map(({ id, title, firstText }) => [id, title ?? firstText ?? 'New conversation'])),
      owners: new Map(tenant.map(({ id, userId }) => [id, userId])),
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
