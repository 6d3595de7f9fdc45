import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import type { SentCompaction } from '../../../packages/protocol/events/events.js';
import type { SessionState } from '../state/state.js';
import { path } from '../state/tree.js';
import { roughTokens } from './estimate.js';
import { tokensInUse } from './token-usage.js';
import { inputRoom, windowOf } from './limits.js';
import { segmentsOf } from '../../../packages/normalizer/segments.js';
import { type Span, turnsIn } from './turns.js';
import type { CompactionLimits } from '../state/compaction-limits.js';

/** What a compaction would summarize and keep. */
export interface CompactionPlan {
  /** Turns replaced by the summary, oldest first; at least one of them is visible to the model. */
  readonly summarized: readonly Measured[];
  /** Uuid of the first message that is kept verbatim; null: none. */
  readonly keptFrom: string | null;
  /** Tokens in use before it; null when no request has reported them. */
  readonly preTokens: number | null;
  /** Approximate tokens of the whole conversation, and of the part that earlier compactions carried over. */
  readonly tokens: number;
  readonly carriedTokens: number;
}

interface Measured {
  readonly messages: readonly StoredMessage[];
  /** Approximate. */
  readonly tokens: number;
}

/**
 * Plans a compaction: the cut lies between two turns, before the latest ones, which are kept whole; the running turn is always kept. Null when there is nothing to
 * summarize.
 */
export function planCompaction(state: SessionState, limits: CompactionLimits): CompactionPlan | null {
  const { carried, kept, later } = segmentsOf(path(state).map(({ message }) => message));
  const body = kept.length === 0 ? later : [...kept, ...later];
  const turnIdOf = (uuid: string): string | null => state.messages.get(uuid)?.turnId ?? null;
  const turns = turnsIn(body, turnIdOf);
  const sizes = body.map(roughTokens);
  const carriedSize = sum(carried.map(roughTokens));
  const preTokens = tokensInUse(state);
  const scale = scaleOf(preTokens, carriedSize + sum(sizes));
  const scaled = (size: number): number => Math.ceil(scale * size); // sums of integers do not depend on their order
  const measured = turns.map(({ from, to, isSeen }) => ({ messages: body.slice(from, to), tokens: scaled(sum(sizes.slice(from, to))), isSeen }));
  const first = firstKept(measured, state, limits);
  const summarized = measured.slice(0, first);
  if (!summarized.some(({ isSeen }) => isSeen)) return null;
  return {
    summarized,
    keptFrom: measured[first]?.messages[0]?.uuid ?? null,
    preTokens,
    tokens: scaled(carriedSize) + sum(measured.map(({ tokens }) => tokens)),
    carriedTokens: scaled(carriedSize),
  };
}

function firstKept(turns: readonly (Measured & Pick<Span, 'isSeen'>)[], state: SessionState, limits: CompactionLimits): number {
  const running = new Set(state.turn?.messages);
  const room = limits.keepShare * windowOf(state, limits);
  let first = turns.length;
  let count = 0;
  let tokens = 0;
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const { messages, tokens: size, isSeen } = turns[index]!;
    const isRunning = messages.some(({ uuid }) => running.has(uuid));
    if (isSeen) count += 1;
    tokens += size;
    if (!isRunning && (count > limits.keepTurns || tokens > room)) break;
    first = index;
  }
  return first;
}

/** Correction factor of the approximation for this conversation; bounded, because the reported count includes system prompt and tools. */
function scaleOf(counted: number | null, rough: number): number {
  return counted === null || rough === 0 ? 1 : Math.min(Math.max(counted / rough, 0.25), 4);
}

/** The range of messages that the summary is made from, and how many of the oldest are omitted. */
export type Reading = Pick<SentCompaction, 'from' | 'to' | 'omitted'>;

/**
 * The whole conversation where it fits, since most of it is in the provider's prompt cache; otherwise the newest of the summarized turns that fit. Each rejection
 * (`rejections`) as too long halves the size. Null when a further reduction is not possible.
 */
export function readingOf(plan: CompactionPlan, rejections: number, state: SessionState, limits: CompactionLimits): Reading | null {
  const room = inputRoom(state, limits);
  const first = plan.tokens <= room ? 0 : 1;
  const reading = readingAt(plan, first + rejections, room);
  if (rejections === 0) return reading;
  const last = readingAt(plan, first + rejections - 1, room);
  return last.from === reading.from && last.to === reading.to ? null : reading;
}

/** `size` 0: everything; 1: the summarized turns; each further step halves that. */
function readingAt({ summarized, carriedTokens, keptFrom }: CompactionPlan, size: number, room: number): Reading {
  if (size === 0) return { from: null, to: null, omitted: 0 };
  const whole = carriedTokens + sum(summarized.map(({ tokens }) => tokens));
  const target = Math.min(room, whole) / 2 ** (size - 1);
  let at = summarized.length - 1;
  for (let tokens = carriedTokens + summarized[at]!.tokens; at > 0; at -= 1) {
    tokens += summarized[at - 1]!.tokens;
    if (tokens > target) break;
  }
  const omitted = sum(summarized.slice(0, at).map(({ messages }) => messages.length));
  return { from: at === 0 ? null : summarized[at]!.messages[0]!.uuid, to: keptFrom, omitted };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
