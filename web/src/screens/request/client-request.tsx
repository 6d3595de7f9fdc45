import type { AnswerOf } from '@verbatim/client';
import { Link } from '../../app/router.tsx';
import { count } from '../../app/words.ts';
import { Copy, Empty, Json, Time } from '../../ui/parts.tsx';
import { visible } from '../../text/plain.tsx';
import { RawBoundary } from '../../ui/raw.tsx';

type ClientRequest = Extract<AnswerOf<'getRequest'>, { readonly recordedBy: 'client' }>;

/** What the program that wrote an imported file had sent, newest first. */
export function ClientRequests({ id, requests }: { readonly id: string; readonly requests: AnswerOf<'listRequests'>['client'] }) {
  if (requests.length === 0) return null;
  return (
    <table className="table">
      <caption>Recorded in the imported file by the program that sent them</caption>
      <thead>
        <tr>
          <th scope="col">Sent</th>
          <th scope="col">For</th>
          <th scope="col">Model</th>
          <th scope="col" className="number">
            Line
          </th>
        </tr>
      </thead>
      <tbody>
        {requests.toReversed().map(({ requestId, sentAt, clientId, querySource, model, line, erased }) => (
          <tr key={requestId}>
            <th scope="row">
              <Link to={`/sessions/${id}/requests/${requestId}`}>{sentAt === null ? visible(clientId ?? requestId) : <Time value={sentAt} isPrecise />}</Link>
            </th>
            <td data-label="For">{erased ? 'erased' : visible(querySource ?? '')}</td>
            <td data-label="Model">{visible(model ?? '')}</td>
            <td className="number" data-label="Line">
              {count(line)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What was found of such a request, and where. */
export function ClientRequestScreen({ id, request }: { readonly id: string; readonly request: ClientRequest }) {
  const { clientId, line, base, keep, parts, payload, erased, fault } = request;
  return (
    <RawBoundary title="request" value={request}>
      <div className="page request">
        <div className="request-head">
          <Link to={`/sessions/${id}/requests`}>Requests</Link>
          <h2>Request {visible(clientId ?? '')}</h2>
        </div>
        <p>
          Line {line} of the imported file: recorded by the program that sent it
          {base === null ? '.' : `, continuing ${keep} messages of ${visible(base)}.`}{' '}
          {payload &&
            'Every message, and system prompt and tools, have the recorded hash in their canonical form; parameters and cache markers are as recorded.'}
        </p>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Message</th>
              <th scope="col">Found</th>
              <th scope="col">Hash</th>
            </tr>
          </thead>
          <tbody>
            {parts.map(({ hash, from, line: foundAt, uuids, namedAt }, at) => (
              <tr key={at}>
                <th scope="row">{at + 1}</th>
                <td data-label="Found">
                  {from === null
                    ? `nowhere; named by line ${namedAt}`
                    : from === 'file'
                      ? `line ${foundAt}`
                      : uuids.length === 1
                        ? 'stored message'
                        : `${uuids.length} stored messages`}
                </td>
                <td data-label="Hash">
                  <code>{hash?.slice(0, 16)}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {payload ? (
          <>
            <Copy text={() => JSON.stringify(payload, null, 2)} label="Copy as JSON" />
            <Json value={payload} label="Payload" />
          </>
        ) : (
          <Empty title={erased ? 'What was sent was erased' : 'What was sent cannot be shown'}>{fault}</Empty>
        )}
      </div>
    </RawBoundary>
  );
}
