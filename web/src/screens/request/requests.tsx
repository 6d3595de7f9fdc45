import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';

import { Link } from '../../app/router.tsx';
import { bytes, count, duration } from '../../app/words.ts';
import { Badge, Empty, ErrorNote, Loading, Status, Time } from '../../ui/parts.tsx';
import { clientName } from './describe.ts';
import { ClientRequests } from './client-request.tsx';

/** Every request that was sent to the model for a session, newest first. */
export function RequestsScreen({ id, version }: { readonly id: string; readonly version: number }) {
  const client = useClient();
  const { data, error, reload } = useLoad((signal) => client.listRequests({ id }, { signal }), [client, id, version]);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the requests" />;
  if (data.data.length + data.client.length === 0) return <Empty title="Nothing was sent to the model yet" />;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="page" tabIndex={0} role="region" aria-label="Requests">
      <ClientRequests id={id} requests={data.client} />
      <table className="table" hidden={data.data.length === 0}>
        <thead>
          <tr>
            <th scope="col" className="number">
              No.
            </th>
            <th scope="col">Sent</th>
            <th scope="col">For</th>
            <th scope="col">Model</th>
            <th scope="col">State</th>
            <th scope="col" className="number">
              Tokens in
            </th>
            <th scope="col" className="number">
              Cached
            </th>
            <th scope="col" className="number">
              Out
            </th>
            <th scope="col" className="number">
              Took
            </th>
            <th scope="col" className="number">
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          {data.data.toReversed().map(({ requestId, sentAt, purpose, model, status, usage, durationMs, bytes: size, origin, repair }, index) => {
            const cached = usage?.cache_read_input_tokens ?? 0;
            const input = (usage?.input_tokens ?? 0) + cached + (usage?.cache_creation_input_tokens ?? 0);
            return (
              <tr key={requestId}>
                <td className="number" data-label="No.">
                  {count(data.data.length - index)}
                </td>
                <th scope="row">
                  <Link to={`/sessions/${id}/requests/${requestId}`}>
                    <Time value={sentAt} />
                  </Link>
                </th>
                <td data-label="For">
                  {purpose} {origin !== null && <span className="aside">from {clientName(origin.client)}</span>}{' '}
                  {repair !== null && <Badge tone="warn">repaired</Badge>}
                </td>
                <td>{model}</td>
                <td>
                  <Status value={status} />
                </td>
                <td className="number" data-label="Tokens in">
                  {usage ? count(input) : ''}
                </td>
                <td className="number" data-label="Cached">
                  {input > 0 ? `${Math.round((100 * cached) / input)} %` : ''}
                </td>
                <td className="number" data-label="Out">
                  {usage ? count(usage.output_tokens ?? 0) : ''}
                </td>
                <td className="number" data-label="Took">
                  {durationMs === null ? '' : duration(durationMs)}
                </td>
                <td className="number" data-label="Size">
                  {bytes(size)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
