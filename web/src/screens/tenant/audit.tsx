import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { count, shortId } from '../../app/words.ts';
import { Badge, Button, ErrorNote, Loading, Time } from '../../ui/parts.tsx';

/** The logs of all sessions of the tenant, page by page. */
export function TenantAudit() {
  const client = useClient();
  const [cursor, setCursor] = useState<string | null>(null);
  const { data, error, reload } = useLoad((signal) => client.auditTenant({ ...(cursor === null ? {} : { cursor }) }, { signal }), [client, cursor]);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the audit" />;
  return (
    <>
      <section className="facts" aria-label="Result">
        <section>
          <h2>This page</h2>
          <p>{data.valid ? <Badge tone="good">every log is valid</Badge> : <Badge tone="bad">a log is not valid</Badge>}</p>
        </section>
        <section>
          <h2>Checkpoint</h2>
          {data.checkpoint ? (
            <p>
              {count(data.checkpoint.size)} leaves, <Time value={data.checkpoint.createdAt} />
            </p>
          ) : (
            <p className="aside">None yet.</p>
          )}
        </section>
      </section>
      <table className="table">
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
          {data.data.map(({ sessionId, valid, events, firstInvalidSeq, rowMatches }) => (
            <tr key={sessionId}>
              <th scope="row">
                <Link to={`/sessions/${sessionId}/audit`}>{shortId(sessionId)}</Link>
              </th>
              <td>
                {valid ? <Badge tone="good">valid</Badge> : <Badge tone="bad">invalid from event {firstInvalidSeq}</Badge>}{' '}
                {!rowMatches && <Badge tone="warn">its row differs</Badge>}
              </td>
              <td className="number" data-label="Events">
                {count(events)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {data.nextCursor !== null && <Button onClick={() => setCursor(data.nextCursor)}>Next page</Button>}
    </>
  );
}
