import { contentText } from '../protocol/message/written-input.js';
import type { SentNote } from '../protocol/request/sent-body.js';
import type { TraceEntry } from '../protocol/request/trace-entry.js';
import type { BuiltPayload, PayloadInput } from './build-payload.js';
import type { Continued } from './continue-payload.js';
import { normalize } from './normalize.js';
import { PASSES } from './passes/index.js';
import { pairToolResults } from './passes/pair-tool-results.js';
import type { PayloadMessage } from './payload.js';
import { isSameMessage } from './serialized-message.js';

/** What the passes did with the end of a conversation. */
export class TailTrace {
  constructor(
    /** Of the messages from this one on. */
    readonly from: number,
    private readonly entries: readonly TraceEntry[],
    private readonly places: ReadonlyMap<string, number>,
  ) {}

  /** Grouped by pass and action, in the order of the passes. Blocks that were kept have no note when they are referred to. */
  notes(isReferred: (place: number, index: number) => boolean): readonly SentNote[] {
    const groups = new Map<string, { readonly note: Omit<SentNote, 'blocks'>; readonly blocks: (readonly (number | null)[])[] }>();
    for (const { source, action, pass, reason, target } of this.entries) {
      const place = source ? this.places.get(source.uuid)! : null;
      if (action === 'kept' && source && isReferred(place!, source.index)) continue;
      const key = JSON.stringify([pass, action, reason]);
      const group = groups.get(key) ?? { note: { action, pass, reason }, blocks: [] };
      groups.set(key, group);
      group.blocks.push([place, source?.index ?? null, target?.message ?? null, target?.block ?? null]);
    }
    return [...groups.values()].sort((one, other) => orderOf(one.note.pass) - orderOf(other.note.pass)).map(({ note, blocks }) => ({ ...note, blocks }));
  }
}

const ORDER = new Map(PASSES.map(({ name }, index) => [name, index]));
const orderOf = (pass: string): number => ORDER.get(pass) ?? -1;

/**
 * The trace of the messages of the conversation from `from` on. They are normalized once more by themselves, with a trace; when that gives the same end of the payload, its
 * trace is that of the payload. Otherwise earlier messages matter, and the whole conversation is explained. `keep`: messages of the payload that need no explanation.
 */
export function explainTail(view: BuiltPayload, input: PayloadInput, from: number, keep: number): TailTrace {
  const part = from === 0 ? null : (explained(view, input, from, keep) ?? explainedWithTurnBefore(view, input, from, keep));
  const start = part?.from ?? 0;
  return new TailTrace(start, (part?.entries ?? normalize(input.messages, view.parts.context).trace).filter(isNewAfter(keep)), placesFrom(input, start));
}

/** The trace of what comes after the request that was continued. */
export const traceOf = ({ trace, from }: Continued, input: PayloadInput, keep: number): TailTrace =>
  new TailTrace(from, trace.filter(isNewAfter(keep)), placesFrom(input, from));

/** Blocks that were added to the messages that are kept are in the notes of the base. */
const isNewAfter =
  (keep: number) =>
  ({ source, target }: TraceEntry): boolean =>
    source !== null || (target?.message ?? keep) >= keep;

interface Explained {
  readonly from: number;
  readonly entries: readonly TraceEntry[];
}

function explained({ parts }: BuiltPayload, input: PayloadInput, from: number, keep: number): Explained | null {
  const { signatures: _, ...context } = parts.context;
  const { messages, trace } = normalize(input.messages.slice(from), { ...context, userContext: {}, continues: true });
  const offset = parts.messages.length - messages.length;
  if (offset < 0 || offset > keep) return null;
  if (!messages.every((message, index) => isEqual(message, parts.messages[offset + index]!))) return null;
  if (trace.some(isDroppedResult)) return null; // an earlier message says whether its call had a result
  return { from, entries: trace.map((entry) => (entry.target ? { ...entry, target: { ...entry.target, message: entry.target.message + offset } } : entry)) };
}

const isDroppedResult = ({ action, pass }: TraceEntry): boolean => action === 'dropped' && pass === pairToolResults.name;

/** Results that were added to the last message belong to calls of the answer before it. */
function explainedWithTurnBefore(view: BuiltPayload, input: PayloadInput, from: number, keep: number): Explained | null {
  const sources = new Set(view.parts.working[keep - 1]?.blocks.flatMap((block) => block.sources.map(({ uuid }) => uuid)));
  const start = input.messages.findLastIndex(({ uuid }, index) => index < from && sources.has(uuid) && !sources.has(input.messages[index - 1]?.uuid ?? ''));
  return start > 0 ? explained(view, input, start, keep) : null;
}

const isEqual = (one: PayloadMessage, other: PayloadMessage): boolean => isSameMessage(one, other) || contentText(one) === contentText(other);

function placesFrom({ messages }: PayloadInput, from: number): ReadonlyMap<string, number> {
  return new Map(messages.slice(from).map(({ uuid }, index) => [uuid, from + index]));
}
