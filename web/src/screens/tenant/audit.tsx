import { type AnswerOf, paginate, type SessionListItem } from '@verbatim/client';
import { useState } from 'react';
import { useAccount, useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { count, plural, shortId } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Badge, Button, ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { ActivityList } from './activity-list.tsx';
import { SectionHead } from './section-head.tsx';

/** Who changed what in the tenant, and whether the logs of its conversations are as they were recorded. */
export function TenantAudit() {
  const { me } = useAccount();
  return (
    <>
      <SectionHead title="Audit" about="Who changed what in the tenant, and whether the logs of its conversations are as they were recorded." />
      {me.role === 'admin' && <ActivityList />}
      <Logs />
    </>
  );
}

type Outcome = AnswerOf<'auditTenant'>['data'][number];

/** The logs of all sessions of the tenant, page by page. */
function Logs() {
  const client = useClient();
  const [cursor, setCursor] = useState<string | null>(null);
  const titles = useTitles();
  const { data, error, reload } = useLoad((signal) => client.auditTenant({ ...(cursor === null ? {} : { cursor }) }, { signal }), [client, cursor]);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the audit" />;
  const events = data.data.reduce((sum, one) => sum + one.events, 0);
  return (
    <section className="card logs" aria-label="Logs of the conversations">
      <div className="bar">
        <h2>Logs of the conversations</h2>
        {data.valid ? <Badge tone="good">every log is valid</Badge> : <Badge tone="bad">a log is not valid</Badge>}
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
          {data.data.map((one) => (
            <Log key={one.sessionId} outcome={one} title={titles?.get(one.sessionId)} />
          ))}
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

function Log({ outcome: { sessionId, valid, events, firstInvalidSeq, rowMatches }, title }: { readonly outcome: Outcome; readonly title: string | undefined }) {
  return (
    <tr>
      <th scope="row">
        <Link to={`/sessions/${sessionId}/audit`}>{title === undefined ? `Conversation ${shortId(sessionId)}` : visible(title)}</Link>
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

const MOST_TITLES = 500;

/** Titles of the conversations that the person may read, by their ids. */
function useTitles(): ReadonlyMap<string, string> | null {
  const client = useClient();
  const { data } = useLoad(async () => {
    const titles = new Map<string, string>();
    for await (const row of paginate<{ cursor?: string; limit?: number }, SessionListItem>(client.listSessions as never, { limit: 100 })) {
      titles.set(row.id, row.title ?? row.firstText ?? 'New conversation');
      if (titles.size >= MOST_TITLES) break;
    }
    return titles;
  }, [client]);
  return data;
}
