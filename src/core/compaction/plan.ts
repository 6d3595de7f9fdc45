import type { StoredMessage } from '../message/message.js';
import type { SentCompaction } from '../session/events.js';
import type { SessionState } from '../session/state.js';
import { path } from '../session/tree.js';
import { roughTokens } from './estimate.js';
import { tokensInUse } from './token-usage.js';
import { inputRoom, windowOf } from './limits.js';
import { segmentsOf } from './segments.js';
import { type Span, turnsIn } from './turns.js';
import type { CompactionLimits } from '../session/compaction-limits.js';

/** What a compaction would do with the conversation as it stands. */
export interface CompactionPlan {
  /** Turns that the summary will stand for, oldest first; the model sees something of at least one of them. */
  readonly summed: readonly Measured[];
  /** The first message that stays as it is; null = none. */
  readonly keptFrom: string | null;
  /** Tokens in use before it; null when nobody has counted them. */
  readonly preTokens: number | null;
  /** About how many tokens the whole conversation takes, and what earlier compactions put in front of it. */
  readonly tokens: number;
  readonly carriedTokens: number;
}

interface Measured {
  readonly messages: readonly StoredMessage[];
  /** About. */
  readonly tokens: number;
}

/**
 * Where to cut: between turns, in front of the latest ones that are kept whole; a turn that runs is one of them, whatever its size. Null when nothing is left
 * to sum up.
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
  const measured = turns.map(({ from, to, isSeen }) => ({ messages: body.slice(from, to), tokens: scale * sum(sizes.slice(from, to)), isSeen }));
  const first = firstKept(measured, state, limits);
  const summed = measured.slice(0, first);
  if (!summed.some(({ isSeen }) => isSeen)) return null;
  return {
    summed,
    keptFrom: measured[first]?.messages[0]?.uuid ?? null,
    preTokens,
    tokens: scale * carriedSize + sum(measured.map(({ tokens }) => tokens)),
    carriedTokens: scale * carriedSize,
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

/** How far off the rough count was for this conversation; within bounds, since what is counted holds more than messages. */
function scaleOf(counted: number | null, rough: number): number {
  return counted === null || rough === 0 ? 1 : Math.min(Math.max(counted / rough, 0.25), 4);
}

/** What is read for the summary: which of the conversation's messages, and how many of the oldest are passed over. */
export type Reading = Pick<SentCompaction, 'from' | 'to' | 'omitted'>;

/**
 * The whole conversation where there is room for it, since the provider has most of that in its cache; else the turns to be summed up, and of them the newest
 * ones that fit. With each of the `refusals` that it was too long half as much is tried. Null when less than the last time is not possible.
 */
export function readingOf(plan: CompactionPlan, refusals: number, state: SessionState, limits: CompactionLimits): Reading | null {
  const room = inputRoom(state, limits);
  const first = plan.tokens <= room ? 0 : 1;
  const reading = readingAt(plan, first + refusals, room);
  if (refusals === 0) return reading;
  const last = readingAt(plan, first + refusals - 1, room);
  return last.from === reading.from && last.to === reading.to ? null : reading;
}

/** `size` 0: everything; 1: what is to be summed up; from then on half of that, and half again. */
function readingAt({ summed, carriedTokens, keptFrom }: CompactionPlan, size: number, room: number): Reading {
  if (size === 0) return { from: null, to: null, omitted: 0 };
  const whole = carriedTokens + sum(summed.map(({ tokens }) => tokens));
  const target = Math.min(room, whole) / 2 ** (size - 1);
  let at = summed.length - 1;
  for (let tokens = carriedTokens + summed[at]!.tokens; at > 0; at -= 1) {
    tokens += summed[at - 1]!.tokens;
    if (tokens > target) break;
  }
  const omitted = sum(summed.slice(0, at).map(({ messages }) => messages.length));
  return { from: at === 0 ? null : summed[at]!.messages[0]!.uuid, to: keptFrom, omitted };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
