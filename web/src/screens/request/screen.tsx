import { type ReactNode, useMemo } from 'react';
import { useClient } from '../../app/account.tsx';
import { useKeys } from '../../app/keyboard.ts';
import { useLoad } from '../../app/load.ts';
import { Link, navigate } from '../../app/router.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Button, Copy, Empty, ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { RawBoundary } from '../../ui/raw.tsx';
import { isWhole, readable, type SentRequest } from './align.ts';
import { ClientRequestScreen } from './client-request.tsx';
import { curlOf } from './digest.ts';
import { Facts } from './facts.tsx';
import { RequestView } from './request-view.tsx';

/** A request to the model: what is stored beside what was sent. */
export function RequestScreen({ id, requestId }: { readonly id: string; readonly requestId: string }) {
  const client = useClient();
  const request = useLoad((signal) => client.getRequest({ id, requestId }, { signal }), [client, id, requestId]);
  const all = useLoad((signal) => client.listRequests({ id }, { signal }), [client, id, requestId]).data?.data ?? [];
  const at = all.findIndex((one) => one.requestId === requestId);
  const go = (by: number): void => {
    const next = at < 0 ? undefined : all[at + by];
    if (next) navigate(`/sessions/${id}/requests/${next.requestId}`);
  };
  useKeys({ '[': () => go(-1), ']': () => go(1) });
  if (request.error) return <ErrorNote error={request.error} onRetry={request.reload} />;
  if (!request.data) return <Loading what="the request" />;
  if (request.data.recordedBy === 'client') return <ClientRequestScreen id={id} request={request.data} />;
  const head = (
    <>
      <div className="request-head">
        <Link to={`/sessions/${id}/requests`}>Requests</Link>
        <span className="aside" aria-hidden="true">
          /
        </span>
        <h2>
          {at < 0 ? 'Request' : `Request ${at + 1} of ${all.length}`} <Time value={request.data.sentAt} isPrecise />
        </h2>
        {all.length > 1 && (
          <>
            <Button className="only-icon" disabled={at <= 0} onClick={() => go(-1)} aria-label="Previous request" title="Previous request ([)">
              <Icon name="back" />
            </Button>
            <Button className="only-icon" disabled={at < 0 || at === all.length - 1} onClick={() => go(1)} aria-label="Next request" title="Next request (])">
              <Icon name="chevron" />
            </Button>
          </>
        )}
      </div>
      <Facts id={id} request={request.data} />
    </>
  );
  return (
    <RawBoundary title="request" value={request.data}>
      {isWhole(request.data) ? <Sent id={id} request={request.data} head={head} /> : <Gone fault={request.data.fault} head={head} />}
    </RawBoundary>
  );
}

function Sent({ id, request, head }: { readonly id: string; readonly request: SentRequest; readonly head: ReactNode }) {
  const shown = useMemo(() => ({ ...request, payload: readable(request.payload) }), [request]);
  return (
    <RequestView
      sessionId={id}
      request={shown}
      labels={['Stored', `Sent to ${request.model}`]}
      tools={<Copy text={() => curlOf(request)} label="Copy as curl" />}
      head={head}
    />
  );
}

/** Without its body, only the facts are left. */
function Gone({ fault, head }: { readonly fault: string | null; readonly head: ReactNode }) {
  return (
    <div className="page request">
      {head}
      <Empty title={fault === null ? 'What was sent was erased' : 'What was sent cannot be shown'}>{fault}</Empty>
    </div>
  );
}
