import type { AnswerOf } from '@verbatim/client';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { count, dollars, duration, modelName, plural, short } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Badge, Empty, ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { ClientRequests } from './client-request.tsx';
import { clientName, stopInWords } from './describe.ts';

type Sent = AnswerOf<'listRequests'>['data'][number];

/** Every request that was sent to the model for a session, newest first. */
export function RequestsScreen({ id, version }: { readonly id: string; readonly version: number }) {
  const client = useClient();
  const { data, error, reload } = useLoad((signal) => client.listRequests({ id }, { signal }), [client, id], version);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the requests" />;
  if (data.data.length + data.client.length === 0)
    return (
      <Empty title="Nothing was sent to the model yet">
        Each request stands here as it was sent, beside what is stored, with the reason of every difference.
      </Empty>
    );
  const byId = new Map(data.data.map((one) => [one.requestId, one]));
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="page" tabIndex={0} role="region" aria-label="Requests">
      <ClientRequests id={id} requests={data.client} />
      {data.data.length > 0 && (
        <>
          <Sums requests={data.data} />
          <table className="table requests" aria-label="Requests">
            <thead>
              <tr>
                <th scope="col" className="number">
                  No.
                </th>
                <th scope="col">Sent</th>
                <th scope="col">Purpose</th>
                <th scope="col">Model</th>
                <th scope="col">Answer</th>
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
                  Cost
                </th>
                <th scope="col" className="number">
                  Took
                </th>
              </tr>
            </thead>
            <tbody>
              {data.data.toReversed().map((request, index) => (
                <Row
                  key={request.requestId}
                  id={id}
                  request={request}
                  number={data.data.length - index}
                  refused={request.repair?.of ? byId.get(request.repair.of) : undefined}
                />
              ))}
            </tbody>
          </table>
        </>
      )}
    </div>
  );
}

interface RowProps {
  readonly id: string;
  readonly request: Sent;
  readonly number: number;
  /** Of a repaired one: what the model API had refused. */
  readonly refused: Sent | undefined;
}

function Row({ id, request, number, refused }: RowProps) {
  const { requestId, sentAt, purpose, model, usage, cost, durationMs, origin, repair, status } = request;
  const [input, cached] = tokensIn(request);
  return (
    <tr className={status === 'failed' ? 'failed' : undefined}>
      <td className="number aside not-phone" data-label="No.">
        {count(number)}
      </td>
      <th scope="row">
        <Link to={`/sessions/${id}/requests/${requestId}`}>
          <span className="only-phone">{count(number)} · </span>
          <Time value={sentAt} isPrecise />
        </Link>
      </th>
      <td className="not-phone" data-label="Purpose">
        {purpose} {origin !== null && <span className="aside client">from {clientName(origin.client)}</span>}
      </td>
      <td className="model not-phone" data-label="Model">
        {visible(model)}
      </td>
      <td className="answer">
        <Outcome request={request} />
        {repair !== null && (
          <p className="reason" title={refused?.error?.message}>
            <Badge tone="warn">repaired</Badge> {refused?.error ? `after ${visible(refused.error.message)}` : 'as an earlier request of this conversation'}
          </p>
        )}
      </td>
      <td className="number not-phone" data-label="Tokens in">
        {usage ? count(input) : '–'}
      </td>
      <td className="number not-phone" data-label="Cached">
        {input > 0 ? `${Math.round((100 * cached) / input)} %` : '–'}
      </td>
      <td className="number not-phone" data-label="Out">
        {usage ? count(usage.output_tokens ?? 0) : '–'}
      </td>
      <td className="number cost">{cost === null ? '–' : dollars(cost)}</td>
      <td className="number not-phone" data-label="Took">
        {durationMs === null ? '–' : duration(durationMs)}
      </td>
      <td className="only-phone aside in-a-line">{inALine(request)}</td>
    </tr>
  );
}

function Outcome({ request: { status, stopReason, error } }: { readonly request: Sent }) {
  if (status === 'open') return <Badge tone="live">under way</Badge>;
  if (status === 'failed') {
    return (
      <>
        <Badge tone="bad">failed</Badge>
        {error && (
          <p className="reason" title={error.message}>
            {error.status} {visible(error.message)}
          </p>
        )}
      </>
    );
  }
  if (stopReason === 'max_tokens' || stopReason === 'refusal') return <Badge tone="warn">{stopInWords(stopReason)}</Badge>;
  return <>{stopReason === null ? 'completed' : stopInWords(stopReason)}</>;
}

/** What a narrow window has in place of the columns. */
function inALine(request: Sent): string {
  const { usage, durationMs, purpose, model, origin } = request;
  const [input, cached] = tokensIn(request);
  return [
    ...(usage ? [`${count(input)} in${cached > 0 ? ` (${Math.round((100 * cached) / input)} % cached)` : ''}`, `${count(usage.output_tokens ?? 0)} out`] : []),
    ...(durationMs === null ? [] : [duration(durationMs)]),
    visible(modelName(model).replace(/^Claude /, '')),
    ...(purpose === 'answer' ? [] : [`for ${purpose}`]),
    ...(origin === null ? [] : [`from ${clientName(origin.client)}`]),
  ].join(', ');
}

/** Of the input, how many tokens there were, and how many of them were read from the cache. */
function tokensIn({ usage }: Sent): readonly [all: number, cached: number] {
  const cached = usage?.cache_read_input_tokens ?? 0;
  return [(usage?.input_tokens ?? 0) + cached + (usage?.cache_creation_input_tokens ?? 0), cached];
}

/** All of them in a line, which says what to look for in the rows. */
function Sums({ requests }: { readonly requests: readonly Sent[] }) {
  const sums = requests.map(tokensIn);
  const input = sums.reduce((sum, [all]) => sum + all, 0);
  const cached = sums.reduce((sum, [, read]) => sum + read, 0);
  const output = requests.reduce((sum, { usage }) => sum + (usage?.output_tokens ?? 0), 0);
  const failed = requests.filter(({ status }) => status === 'failed').length;
  const repaired = requests.filter(({ repair }) => repair !== null).length;
  return (
    <p className="aside request-sums">
      <span>{plural(requests.length, 'request')}</span>
      {input + output > 0 && (
        <>
          <span>
            {short(input)} tokens in{input > 0 && `, ${Math.round((100 * cached) / input)}\u00A0% cached`}
          </span>
          <span>{short(output)} out</span>
          <span>{dollars(requests.reduce((sum, { cost }) => sum + (cost ?? 0), 0))}</span>
        </>
      )}
      {failed > 0 && <span className="bad-text">{count(failed)} failed</span>}
      {repaired > 0 && <span className="warn-text">{count(repaired)} repaired</span>}
    </p>
  );
}
