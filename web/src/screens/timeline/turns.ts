import type { Event } from '@verbatim/client';

export type Kind = 'model' | 'tool' | 'hook' | 'wait' | 'queue';

export interface Span {
  readonly kind: Kind;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly isOpen: boolean;
  readonly requestId?: string;
}

export interface TurnLine {
  readonly turnId: string;
  /** The first line of its prompt; null: it is not among the events, or has no text. */
  readonly name: string | null;
  readonly from: number;
  readonly to: number;
  readonly outcome: string;
  /** Why it failed, or its last request did; null: it did not. */
  readonly why: string | null;
  readonly spans: readonly Span[];
}

interface Making {
  from: number;
  to: number | null;
  outcome: string;
  why: string | null;
  /** Of a client that asks through a door: its turn is its request, and has no events of its own. */
  isOfDoor: boolean;
  readonly spans: { -readonly [Member in keyof Span]: Span[Member] }[];
}

/** What happened in each turn, and how long it took. What is open lasts until `now` in the newest turn, in others, which were cut off, until the last event. */
export function turnsOf(events: readonly Event[], now: number): readonly TurnLine[] {
  const turns = new Map<string, Making>();
  const queuedAt = new Map<string, number>();
  const open = new Map<string, Making['spans'][number]>();
  const names = new Map<string, string>();
  let last = 0;
  const turn = (id: string, at: number): Making => {
    const known = turns.get(id) ?? { from: at, to: null, outcome: 'running', why: null, isOfDoor: false, spans: [] };
    turns.set(id, known);
    return known;
  };
  const begin = (turnId: string, key: string, span: Omit<Span, 'to' | 'isOpen'>): void => {
    const made = { ...span, to: span.from, isOpen: true };
    turn(turnId, span.from).spans.push(made);
    open.set(key, made);
  };
  const end = (key: string, at: number): void => {
    const span = open.get(key);
    if (span) Object.assign(span, { to: at, isOpen: false });
    open.delete(key);
  };
  for (const event of events) {
    const at = Date.parse(event.time);
    last = Math.max(last, at);
    if (event.erased) continue;
    switch (event.type) {
      case 'prompt.submitted':
        names.set(event.data.submission.turnId, firstLine(event.data.submission.original));
        break;
      case 'prompt.queued':
        queuedAt.set(event.data.promptId, at);
        break;
      case 'turn.started': {
        const queued = queuedAt.get(event.data.promptId);
        const started = turn(event.data.turnId, queued ?? at);
        if (queued !== undefined) started.spans.push({ kind: 'queue', name: 'in the queue', from: queued, to: at, isOpen: false });
        break;
      }
      case 'request.sent':
        turn(event.data.turnId, at).isOfDoor = event.data.normalizer === 'none';
        begin(event.data.turnId, event.data.requestId, {
          kind: 'model',
          name: event.data.purpose ?? event.data.model,
          from: at,
          requestId: event.data.requestId,
        });
        break;
      case 'request.completed':
      case 'request.failed': {
        end(event.data.requestId, at);
        const asked = turn(event.data.turnId, at);
        asked.why = event.type === 'request.failed' ? event.data.error.message : null;
        if (asked.isOfDoor) Object.assign(asked, { to: at, outcome: event.type.slice('request.'.length) });
        break;
      }
      case 'tool.started':
        begin(event.data.turnId, event.data.toolUseId, { kind: 'tool', name: event.data.name, from: at });
        break;
      case 'tool.completed':
        end(event.data.toolUseId, at);
        break;
      case 'hook.completed':
        if (event.data.turnId !== null)
          turn(event.data.turnId, at).spans.push({ kind: 'hook', name: event.data.event, from: at - event.data.durationMs, to: at, isOpen: false });
        break;
      case 'turn.waiting':
        begin(event.data.turnId, `wait ${event.data.turnId}`, { kind: 'wait', name: 'waits', from: at });
        break;
      case 'turn.resumed':
        end(`wait ${event.data.turnId}`, at);
        break;
      case 'turn.completed':
      case 'turn.interrupted':
      case 'turn.failed':
        end(`wait ${event.data.turnId}`, at);
        Object.assign(turn(event.data.turnId, at), {
          to: at,
          outcome: event.type.slice('turn.'.length),
          ...(event.type === 'turn.failed' ? { why: event.data.error.message } : {}),
        });
        break;
    }
  }
  const newest = [...turns.keys()].at(-1);
  return [...turns].map(([turnId, { from, to, outcome, why, spans }]) => {
    const end = to ?? (turnId === newest ? Math.max(last, now) : last);
    const waits = to === null && spans.some(({ kind, isOpen }) => kind === 'wait' && isOpen);
    return {
      turnId,
      name: names.get(turnId) || null,
      from: Math.min(from, ...spans.map((span) => span.from)),
      to: Math.max(end, from + 1),
      outcome: waits ? 'waiting' : outcome,
      why,
      spans: spans.map((span) => (span.isOpen ? { ...span, to: end } : span)),
    };
  });
}

/** Of a prompt; empty: it has no text. */
function firstLine(content: unknown): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ text: content }];
  for (const block of blocks) {
    const text: unknown = typeof block === 'object' && block !== null && 'text' in block ? block.text : null;
    if (typeof text === 'string' && text.trim() !== '') return text.trim().split('\n', 1)[0]!.slice(0, 200);
  }
  return '';
}

/** Milliseconds by kind; what is none of them is `other`. Parallel tools count once. */
export function shares({ from, to, spans }: TurnLine): readonly (readonly [kind: Kind | 'other', ms: number])[] {
  const kinds: readonly Kind[] = ['model', 'tool', 'hook', 'wait', 'queue'];
  const sums = kinds.map((kind) => [kind, covered(spans.filter((span) => span.kind === kind))] as const).filter(([, ms]) => ms > 0);
  const rest = to - from - covered(spans);
  return rest > 0 ? [...sums, ['other', rest] as const] : sums;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** From a minute on people count in parts of an hour, and of a day. */
const LONG_STEPS = [15 * SECOND, 30 * SECOND, ...[1, 2, 5, 10, 15, 30].map((one) => one * MINUTE), ...[1, 2, 3, 6, 12, 24].map((one) => one * HOUR)];

/** Milliseconds between two lines of the axis of so many, so that there are at most five: 1, 2 or 5 of a power of ten, above a minute parts of an hour, a day, or days. */
export function stepOf(whole: number): number {
  const least = Math.max(1, whole / 5);
  if (whole >= MINUTE) return LONG_STEPS.find((step) => step >= least) ?? 24 * HOUR * Math.ceil(least / (24 * HOUR));
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least)!;
}

/** The parts of a turn in which none of its spans was under way. */
export function gapsOf({ from, to, spans }: TurnLine): readonly Pick<Span, 'from' | 'to'>[] {
  const gaps: Pick<Span, 'from' | 'to'>[] = [];
  let end = from;
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    if (span.from > end) gaps.push({ from: end, to: span.from });
    end = Math.max(end, span.to);
  }
  return end < to ? [...gaps, { from: end, to }] : gaps;
}

function covered(spans: readonly Span[]): number {
  let [sum, end] = [0, 0];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    sum += Math.max(0, span.to - Math.max(span.from, end));
    end = Math.max(end, span.to);
  }
  return sum;
}
