import { type CSSProperties, useMemo, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { duration, modelName } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Button, Empty, ErrorNote, Loading, Status, Time } from '../../ui/parts.tsx';
import { Raw } from '../../ui/raw.tsx';
import { isKnownEvent } from '@verbatim/client';
import { eventsAfter } from '../events/load-events.ts';
import { gapsOf, shares, type Span, stepOf, type TurnLine, turnsOf } from './turns.ts';

const EVENTS = 2_000;
/** Most of the events that are listed raw. */
const UNKNOWN = 50;
const WORDS = { model: 'model', tool: 'tools', hook: 'hooks', wait: 'waiting for people', queue: 'in the queue', other: 'server' } as const;

/** Where the time of each turn went. */
export function TimelineScreen({ id, version }: { readonly id: string; readonly version: number }) {
  const client = useClient();
  const [span, setSpan] = useState(EVENTS);
  // Of a conversation that is not read yet, which events are the last is not known.
  const after = Math.max(0, version - span);
  const { data, error, reload } = useLoad(async () => (version === 0 ? null : eventsAfter(client, id, after)), [client, id, span], version);
  const turns = useMemo(() => (data ? turnsOf(data, Date.now()).toReversed() : []), [data]);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the timeline" />;
  const unknown = data.filter((event) => !isKnownEvent(event.type));
  if (turns.length === 0 && unknown.length === 0)
    return <Empty title="Nothing has run yet">Each turn stands here with its requests, tools and hooks, and how long each of them took.</Empty>;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="page" tabIndex={0} role="region" aria-label="Timeline">
      {turns.map((turn) => (
        <Turn key={turn.turnId} id={id} turn={turn} />
      ))}
      {unknown.length > 0 && (
        <section className="card" aria-label="Other events">
          <h2>Events that this page does not know</h2>
          {unknown.slice(0, UNKNOWN).map((event) => (
            <Raw key={event.seq} title={event.type} value={event} />
          ))}
          {unknown.length > UNKNOWN && <p className="aside">and {unknown.length - UNKNOWN} more</p>}
        </section>
      )}
      {after > 0 && <Button onClick={() => setSpan(span * 4)}>Earlier turns</Button>}
    </div>
  );
}

function Turn({ id, turn }: { readonly id: string; readonly turn: TurnLine }) {
  const { from, to, spans, outcome, why, name } = turn;
  const at = <Time value={new Date(from).toISOString()} isPrecise />;
  const whole = to - from;
  const gaps = gapsOf(turn);
  return (
    <div role="group" className="turn" aria-label={`Turn of ${duration(whole)}`}>
      <div className="turn-head">
        {name === null ? at : <bdi className="turn-name">{visible(name)}</bdi>} <Status value={outcome} />
        <strong>{duration(whole)}</strong>
      </div>
      {why !== null && <p className="fault">{visible(why)}</p>}
      <p className="aside turn-shares">
        {name !== null && at}
        {shares(turn).map(([kind, ms]) => (
          <span key={kind}>
            <span className={`swatch ${kind}`} /> {WORDS[kind]} {duration(ms)} ({Math.round((100 * ms) / whole)} %)
          </span>
        ))}
      </p>
      <Axis whole={whole} />
      <ol style={{ '--step': `${(100 * stepOf(whole)) / whole}%` } as CSSProperties}>
        {spans.slice(0, 200).map((span, index) => (
          <li key={index}>
            <span className="span-name" title={span.name}>
              {span.requestId ? <Link to={`/sessions/${id}/requests/${span.requestId}`}>{nameOf(span)}</Link> : nameOf(span)}
            </span>
            <Lane bars={[span]} from={from} whole={whole} />
            <span className="span-ms">{duration(span.to - span.from)}</span>
          </li>
        ))}
        {gaps.length > 0 && (
          <li>
            <span className="span-name aside">{WORDS.other}</span>
            <Lane bars={gaps.slice(0, 200).map((gap) => ({ ...gap, kind: 'other', isOpen: false }))} from={from} whole={whole} />
            <span className="span-ms">{duration(gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0))}</span>
          </li>
        )}
      </ol>
      {spans.length > 200 && <p className="aside">and {spans.length - 200} more</p>}
    </div>
  );
}

/** `Opus 4.5` of a model: the column is narrow. Of a hook, that it is one. */
const nameOf = ({ kind, name }: Span): string => visible(kind === 'model' ? modelName(name).replace(/^Claude /, '') : kind === 'hook' ? `${name} hook` : name);

/** Times since the turn began, above the lines that the lanes have at them. */
function Axis({ whole }: { readonly whole: number }) {
  const step = stepOf(whole);
  const ticks = Array.from({ length: Math.floor(whole / step) + 1 }, (_, index) => index * step);
  return (
    <p className="turn-axis" aria-hidden="true">
      <span className="turn-ticks">
        {ticks.map((tick) => (
          <span key={tick} style={{ left: `${(100 * tick) / whole}%` }}>
            {tick === 0 ? '0' : duration(tick)}
          </span>
        ))}
      </span>
    </p>
  );
}

interface LaneProps {
  readonly bars: readonly (Pick<Span, 'from' | 'to' | 'isOpen'> & { readonly kind: keyof typeof WORDS })[];
  readonly from: number;
  readonly whole: number;
}

function Lane({ bars, from, whole }: LaneProps) {
  return (
    <span className="lane" aria-hidden="true">
      {bars.map((bar) => {
        const left = Math.min((100 * (bar.from - from)) / whole, 99.4);
        const width = Math.max(0.6, (100 * (bar.to - bar.from)) / whole);
        return (
          <span
            key={bar.from}
            className={`span ${bar.kind} ${bar.isOpen ? 'unended' : ''}`}
            style={{ left: `${left}%`, width: `${Math.min(width, 100 - left)}%` }}
          />
        );
      })}
    </span>
  );
}
