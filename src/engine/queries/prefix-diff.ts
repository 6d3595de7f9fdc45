import { isBoundary } from '../../../packages/normalizer/segments.js';
import type { SentRequest } from '../../../packages/protocol/events/events.js';
import type { LastSent, SessionState } from '../../session/state/state.js';
import type { BuiltPayload } from '../../../packages/normalizer/build-payload.js';
import type { NoView } from './sent-requests.js';
import type { TraceEntry } from '../../../packages/protocol/request/trace-entry.js';
import { addUserContext } from '../../../packages/normalizer/passes/add-user-context.js';
import { comparePrefix } from '../../../packages/normalizer/prefix.js';
import { movesHead } from '../../session/state/branches.js';
import { contextEntries } from '../../session/payload/conversation.js';

export interface PrefixBreak {
  /** Number of leading messages shared with the previous request. */
  readonly shared: number;
  /** Cause of the difference after them: `model`, `gates`, `configuration: …`, `compaction`, `rewind`, or the pass responsible. Absent when the later request only extends the earlier one. */
  readonly cause?: string;
  /** The original block that the pass treated differently. */
  readonly source?: NonNullable<TraceEntry['source']>;
}

export type ComparedView = Pick<BuiltPayload, 'payload' | 'prefixDigests' | 'trace'>;

/** The parts of a request that are compared; the request may not have been sent. */
export interface Compared extends Pick<SentRequest, 'model' | 'gates' | 'compaction' | 'origin'> {
  readonly view: ComparedView;
}

/**
 * How far a request built from `state` extends the previous one. The provider's cache and the signatures of newer models' thinking are valid only for the
 * shared prefix. `earlierView` rebuilds the previous request, which is expensive, and is called only when no simpler cause explains the difference. It has no view of one of which content was erased. Null: one of the two was
 * made by a client, of which the log has the body and no digests of its parts.
 */
export async function prefixBreak(
  state: SessionState,
  later: Compared,
  earlierView: (earlier: LastSent) => Promise<ComparedView | NoView>,
): Promise<PrefixBreak | null> {
  const earlier = state.lastSent;
  if (later.origin || earlier?.request.origin) return null;
  if (!earlier) return { shared: 0 };
  const recorded = comparePrefix(earlier.digests, later.view.prefixDigests);
  // The exact message is among those without a recorded digest.
  const view = recorded.isLowerBound ? viewIn(await earlierView(earlier)) : null;
  const rebuilt = view && comparePrefix(view.prefixDigests, later.view.prefixDigests);
  const { shared, brokenAt } = rebuilt && rebuilt.shared >= recorded.shared ? rebuilt : recorded;
  // Cache and thinking signatures are per model, so a shared prefix does not help.
  if (earlier.request.model !== later.model) return { shared, cause: 'model' };
  if (brokenAt === undefined) return { shared };
  if (!sameGates(earlier.request.gates, later.gates)) return { shared, cause: 'gates' };
  if (typeof brokenAt === 'string') return { shared, cause: `configuration: ${brokenAt}` };
  if (later.compaction || hasCompacted(state, earlier.request.at)) return { shared, cause: 'compaction' };
  if (hasMoved(state, earlier.sentAt)) return { shared, cause: 'rewind' };
  const known = view ?? viewIn(await earlierView(earlier));
  return { shared, cause: 'normalization', ...(known ? responsiblePass(known, later.view, brokenAt) : {}) };
}

const viewIn = (view: ComparedView | NoView): ComparedView | null => ('fault' in view ? null : view);

const sameGates = (one: SentRequest['gates'], other: SentRequest['gates']): boolean =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => (one[name] ?? false) === (other[name] ?? false));

/** Whether the conversation begins with a summary that was added after that version. */
function hasCompacted(state: SessionState, then: number): boolean {
  const [first] = contextEntries(state);
  return first !== undefined && isBoundary(first) && (state.messages.get(first.uuid)?.seq ?? 0) > then;
}

function hasMoved(state: SessionState, since: string): boolean {
  for (const { at, restoredAt, data } of state.rewinds.values())
    if (movesHead(data) && (at >= since || (restoredAt !== null && restoredAt >= since))) return true;
  return false;
}

/** The first block of the changed message that a pass now treats differently, and that pass. */
function responsiblePass(earlier: ComparedView, later: ComparedView, message: number): Pick<PrefixBreak, 'cause' | 'source'> {
  if (contextIn(earlier) !== contextIn(later)) return { cause: 'configuration: context' };
  const treatedBefore = treatments(earlier.trace);
  const treatedNow = treatments(later.trace);
  const suspects = [...earlier.trace, ...later.trace].filter(({ target }) => target?.message === message);
  for (const { source } of suspects) {
    if (!source) continue;
    const key = keyOf(source);
    const before = new Set(treatedBefore.get(key)?.map(passAndAction));
    const changed = treatedNow.get(key)?.find((entry) => !before.has(passAndAction(entry)) && entry.action !== 'kept');
    if (changed) return { cause: changed.pass, source };
  }
  const added = later.trace.find(({ source, target }) => source === null && target?.message === message);
  return added ? { cause: added.pass } : {};
}

/** The session's context block before the conversation. */
function contextIn({ trace, payload }: ComparedView): string {
  const target = trace.find(({ pass }) => pass === addUserContext.name)?.target;
  return target ? JSON.stringify(payload.messages[target.message]?.content[target.block]) : '';
}

function treatments(trace: readonly TraceEntry[]): ReadonlyMap<string, readonly TraceEntry[]> {
  const bySource = new Map<string, TraceEntry[]>();
  for (const entry of trace) {
    if (!entry.source) continue;
    const known = bySource.get(keyOf(entry.source));
    if (known) known.push(entry);
    else bySource.set(keyOf(entry.source), [entry]);
  }
  return bySource;
}

const keyOf = ({ uuid, index }: NonNullable<TraceEntry['source']>): string => `${uuid}/${index}`;
const passAndAction = ({ pass, action }: TraceEntry): string => `${pass} ${action}`;
