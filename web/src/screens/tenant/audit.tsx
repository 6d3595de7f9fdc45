import type { AnswerOf } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { Link } from '../../app/router.tsx';
import { count, plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Badge, Button, ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { ActivityList } from './activity-list.tsx';
import { type Known, useKnown } from './known.ts';
import { SectionHead } from './section-head.tsx';

/** Who changed what in the tenant, and whether the logs of its conversations are as they were recorded. */
export function TenantAudit() {
  const known = useKnown();
  return (
    <>
      <SectionHead
        title="Audit"
        about="Who changed settings, people and tokens, what was erased, held, shared and opened, and whether the logs of its conversations are as they were recorded."
      />
      <ActivityList titles={known.titles} />
      <Logs known={known} />
    </>
  );
}

type Outcome = AnswerOf<'auditTenant'>['data'][number];

interface Page {
  /** Null: the first. */
  readonly cursor: string | null;
  /** The number of its first conversation. */
  readonly from: number;
}

/** The logs of all sessions of the tenant, page by page. */
function Logs({ known: { titles, rows } }: { readonly known: Known }) {
  const client = useClient();
  /** From the first page to the one that is shown. */
  const [pages, setPages] = useState<readonly Page[]>([{ cursor: null, from: 1 }]);
  const { cursor, from } = pages.at(-1)!;
  const nameOf = usePeople();
  const { data, error, reload } = useLoad((signal) => client.auditTenant({ ...(cursor === null ? {} : { cursor }) }, { signal }), [client, cursor]);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the audit" />;
  const invalid = data.data.filter(({ valid }) => !valid);
  const differing = data.data.some(({ rowMatches }) => !rowMatches);
  const isAll = pages.length === 1 && data.nextCursor === null;
  const events = data.data.reduce((sum, one) => sum + one.events, 0);
  return (
    <section className="card logs" aria-label="Logs of the conversations">
      <div className="bar">
        <h2>Logs of the conversations</h2>
        {invalid.length === 0 && data.valid ? (
          <Badge tone="good">{isAll ? 'every log is valid' : 'every log of this page is valid'}</Badge>
        ) : (
          <Badge tone="bad">
            {count(invalid.length)} of {plural(data.data.length, 'log')} {invalid.length === 1 ? 'is' : 'are'} not valid
          </Badge>
        )}
        <span className="spacer" />
        <span className="aside">
          {data.checkpoint ? (
            <>
              Checkpoint of {count(data.checkpoint.size)} entries, <Time value={data.checkpoint.createdAt} isPrecise />
            </>
          ) : (
            'No checkpoint yet'
          )}
        </span>
      </div>
      <p className="aside">
        {isAll ? plural(data.data.length, 'conversation') : `Conversations ${count(from)} to ${count(from + data.data.length - 1)}`} with{' '}
        {plural(events, 'event')}, each read and verified now.
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
            <th scope="col">Owner</th>
            <th scope="col">Changed</th>
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
              const row = rows.get(one.sessionId);
              const [owner, changedAt] = row === undefined ? [null, null] : [nameOf(row.userId), row.updatedAt];
              return <Log key={one.sessionId} outcome={one} title={titles.get(one.sessionId)} owner={owner} changedAt={changedAt} />;
            })}
        </tbody>
      </table>
      {!isAll && (
        <div className="bar">
          <Button disabled={pages.length === 1} onClick={() => setPages(pages.slice(0, -1))}>
            Previous page
          </Button>
          <Button disabled={data.nextCursor === null} onClick={() => setPages([...pages, { cursor: data.nextCursor, from: from + data.data.length }])}>
            Next page
          </Button>
        </div>
      )}
    </section>
  );
}

interface LogProps {
  readonly outcome: Outcome;
  readonly title: string | undefined;
  readonly owner: string | null;
  readonly changedAt: string | null;
}

function Log({ outcome: { sessionId, valid, events, firstInvalidSeq, rowMatches }, title, owner, changedAt }: LogProps) {
  return (
    <tr>
      <th scope="row">
        <Link to={`/sessions/${sessionId}/audit`}>{title === undefined ? `A conversation of ${owner ?? 'a person who is not known'}` : visible(title)}</Link>
        {title === undefined && <span className="aside"> not shared with you</span>}
      </th>
      <td data-label="Owner">{owner}</td>
      <td data-label="Changed">{changedAt !== null && <Time value={changedAt} />}</td>
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
