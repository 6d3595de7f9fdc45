import { useState } from 'react';
import { count, dollars, duration, plural } from '../../app/words.ts';
import { Link } from '../../app/router.tsx';
import { Badge, Button, ErrorNote, Status } from '../../ui/parts.tsx';
import { Plain } from '../../text/plain.tsx';
import type { Request } from './align.ts';
import { causeInWords, clientName, stopInWords } from './describe.ts';
import { bodyOf, sha256 } from './digest.ts';

/** Tokens, cache, prefix and digest of a request. */
export function Facts({ id, request }: { readonly id: string; readonly request: Request }) {
  const { usage, durationMs, status, stopReason, error } = request;
  const input = usage?.input_tokens ?? 0;
  const read = usage?.cache_read_input_tokens ?? 0;
  const written = usage?.cache_creation_input_tokens ?? 0;
  const all = input + read + written;
  const share = (value: number): number => (all === 0 ? 0 : Math.round((100 * value) / all));
  const [isNarrow] = useState(() => matchMedia('(max-width: 760px)').matches);
  const line = [
    ...(usage === null ? [] : [`${count(all)} in, ${share(read)}\u00A0% cached`, `${count(usage.output_tokens ?? 0)} out`]),
    ...(request.cost === null ? [] : [dollars(request.cost)]),
    ...(stopReason === 'end_turn' ? [] : [stopReason ? stopInWords(stopReason) : status]),
  ];
  return (
    <details className="facts-fold" open={!isNarrow}>
      <summary>
        {line.join(' · ')} {request.prefix?.cause !== undefined && <Badge tone="warn">prefix broken</Badge>}
        {request.repair !== null && <Badge tone="warn">repaired</Badge>}
      </summary>
      <div className="facts">
        <section aria-label="Tokens">
          <h3>Tokens</h3>
          {usage === null ? (
            <p className="aside">No answer was recorded.</p>
          ) : (
            <>
              <p>
                <strong>{count(all)}</strong> in, <strong>{count(usage.output_tokens ?? 0)}</strong> out
                {request.cost !== null && `, ${dollars(request.cost)}`}
              </p>
              {read + written > 0 && (
                <div
                  className="meter"
                  role="img"
                  aria-label={`${share(read)} % read from the cache, ${share(written)} % written to it, ${share(input)} % not cached`}
                >
                  <span className="read" style={{ width: `${share(read)}%` }} />
                  <span className="written" style={{ width: `${share(written)}%` }} />
                </div>
              )}
              <p className="aside">
                {read + written > 0 ? (
                  <>
                    {count(read)} from the cache ({share(read)}&nbsp;%), {count(written)} written to it, {count(input)} not cached
                  </>
                ) : (
                  'None of them was read from the cache or written to it.'
                )}
              </p>
            </>
          )}
        </section>
        <Prefix id={id} request={request} />
        <section aria-label="Answer">
          <h3>Answer</h3>
          <p>
            <Status value={status} /> {stopReason && <span className="aside">{stopInWords(stopReason)}</span>}
          </p>
          {durationMs !== null && <p className="aside">after {duration(durationMs)}</p>}
          {error && <p className="bad-text">{error.message}</p>}
          <Changes request={request} />
        </section>
        <Digest request={request} />
        <Origin id={id} request={request} />
      </div>
    </details>
  );
}

/** Of a request through the Anthropic door: whose it is, and what was done with its bytes. */
function Origin({ id, request: { origin, repair, thread } }: { readonly id: string; readonly request: Request }) {
  if (origin === null) return null;
  return (
    <section aria-label="Origin">
      <h3>Origin</h3>
      <p title={origin.client ?? undefined}>
        Sent by <bdi>{clientName(origin.client)}</bdi> through the Anthropic door
      </p>
      {repair === null && thread === null && <p className="aside">Its bytes were passed on as they came.</p>}
      {thread && <Threaded id={id} thread={thread} />}
      {repair?.of === null && (
        <p>
          <Badge tone="warn">repaired</Badge> The same parts were replaced as in an earlier request of this conversation.
        </p>
      )}
      {repair?.of && (
        <p>
          <Badge tone="warn">repaired</Badge> The model API had refused <Link to={`/sessions/${id}/requests/${repair.of}`}>the request as it came</Link>.
        </p>
      )}
      {repair !== null && <p className="aside">What was changed, and why, is marked in the messages below.</p>}
    </section>
  );
}

/** What was made of a request of a message thread, and the body as it came. */
function Threaded({ id, thread: { of, received } }: { readonly id: string; readonly thread: NonNullable<Request['thread']> }) {
  return (
    <>
      {of === null ? (
        <p>It begins a message thread, and was passed on without its member “thread”.</p>
      ) : (
        <p>
          It continues a message thread: the conversation up to <Link to={`/sessions/${id}/requests/${of}`}>the answer that it names</Link> was put before its
          messages.
        </p>
      )}
      <details>
        <summary>The body as the client sent it</summary>
        <Plain text={received} />
      </details>
    </>
  );
}

function Prefix({ id, request }: { readonly id: string; readonly request: Request }) {
  const { cacheDiagnostics, prefix } = request;
  if (prefix === null) return null;
  const { shared, cause, source, lostTokens, lostCost } = prefix;
  return (
    <section aria-label="Prefix">
      <h3>Prefix</h3>
      {cause === undefined ? (
        <p>{shared === 0 ? 'It continues no earlier request.' : `Continues the request before: its first ${plural(shared, 'message')} are the same.`}</p>
      ) : (
        <p>
          <Badge tone="warn">broken</Badge> {shared === 0 ? 'from the first message on' : `after ${plural(shared, 'message')}`}: {causeInWords(cause)}.
          {source && (
            <>
              {' '}
              <Link to={`/sessions/${id}?message=${source.uuid}`}>The block</Link>
            </>
          )}
        </p>
      )}
      {lostTokens !== undefined && lostTokens > 0 && (
        <p className="bad-text">
          {plural(lostTokens, 'token')} of the cache {lostTokens === 1 ? 'was' : 'were'} not read again. {costInWords(lostCost, request.model)}
        </p>
      )}
      {cacheDiagnostics?.cache_miss_reason && <p className="aside">The provider says: {cacheDiagnostics.cache_miss_reason.type.replaceAll('_', ' ')}</p>}
    </section>
  );
}

function costInWords(lostCost: number | null | undefined, model: string): string {
  if (lostCost === undefined) return '';
  return lostCost === null ? `What that cost is not known: ${model} has no price (MODEL_PRICES).` : `That cost ${dollars(lostCost)} more than reading them.`;
}

function Changes({ request: { inputTransformations } }: { readonly request: Request }) {
  if (!inputTransformations || inputTransformations.length === 0) return null;
  return (
    <p className="aside">
      The provider changed the input in {plural(inputTransformations.length, 'place')}:{' '}
      {inputTransformations.map(({ path, reason }) => `${path ?? ''} ${reason ?? ''}`).join('; ')}
    </p>
  );
}

function Digest({ request }: { readonly request: Request }) {
  const [own, setOwn] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const check = (): void => {
    if (!globalThis.crypto?.subtle) setError(new Error('Browsers compute digests on secure pages only: https, or this machine.'));
    else sha256(bodyOf(request)).then(setOwn, setError);
  };
  const { recordedDigest, verified } = request;
  return (
    <section aria-label="Proof">
      <h3>Is this what was sent?</h3>
      {verified === null ? (
        <p>Content of it was erased since, and its digest with it.</p>
      ) : (
        <p>
          {verified ? <Badge tone="good">the server says yes</Badge> : <Badge tone="bad">the server says no</Badge>}{' '}
          {own !== null &&
            (own === recordedDigest ? (
              <Badge tone="good">verified in this browser</Badge>
            ) : (
              <Badge tone="bad">this browser computes {own.slice(0, 12)}…</Badge>
            ))}
        </p>
      )}
      {recordedDigest && (
        <p className="aside">
          SHA-256 <code title={recordedDigest}>{recordedDigest.slice(0, 16)}…</code>
        </p>
      )}
      {request.payload !== null && own === null && (
        <Button look="quiet" className="beside-text" onClick={check}>
          Verify in this browser
        </Button>
      )}
      <ErrorNote error={error} />
    </section>
  );
}
