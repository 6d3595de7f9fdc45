import { isBoundary } from '../core/compaction/segments.js';
import type { SentRequest } from '../core/session/events.js';
import type { LastSent, SessionState } from '../core/session/state.js';
import type { BuiltPayload } from '../core/normalize/build-payload.js';
import type { TraceEntry } from '../core/normalize/payload.js';
import { addUserContext } from '../core/normalize/passes/add-user-context.js';
import { comparePrefix } from '../core/normalize/prefix.js';
import { transcript } from '../core/normalize/conversation.js';

export interface PrefixBreak {
  /** Messages that the request before had sent already, from the first on. */
  readonly shared: number;
  /** What made the two differ after that: `model`, `gates`, `configuration: …`, `compaction`, `rewind`, or the pass that did it. Absent when the later one only goes on. */
  readonly cause?: string;
  /** The original block that the pass treated otherwise than before. */
  readonly source?: NonNullable<TraceEntry['source']>;
}

/** A request that went out, or would: what it is compared by. */
export interface Compared extends Pick<SentRequest, 'model' | 'gates' | 'compaction'> {
  readonly view: BuiltPayload;
}

/**
 * Whether a request made from `state` goes on where the last one before it left off. A provider's cache, and the signatures of newer models' thinking,
 * hold only as far as it does. `earlierView` makes that request again, which costs as much as it did then, and is only asked for when nothing simpler explains the break.
 */
export async function prefixBreak(state: SessionState, later: Compared, earlierView: (earlier: LastSent) => Promise<BuiltPayload>): Promise<PrefixBreak> {
  const earlier = state.lastSent;
  if (!earlier) return { shared: 0 };
  const { shared, brokenAt } = comparePrefix(earlier.digests, later.view.prefixDigests);
  // Another model has a cache of its own, and does not take the signatures of this one for granted: the same bytes are of no use to it.
  if (earlier.request.model !== later.model) return { shared, cause: 'model' };
  if (brokenAt === undefined) return { shared };
  if (!sameGates(earlier.request.gates, later.gates)) return { shared, cause: 'gates' };
  if (typeof brokenAt === 'string') return { shared, cause: `configuration: ${brokenAt}` };
  if (later.compaction || hasCompacted(state, earlier.request.at)) return { shared, cause: 'compaction' };
  if (hasMoved(state, earlier.sentAt)) return { shared, cause: 'rewind' };
  return { shared, cause: 'normalization', ...culprit(await earlierView(earlier), later.view, brokenAt) };
}

const sameGates = (one: SentRequest['gates'], other: SentRequest['gates']): boolean =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => (one[name] ?? false) === (other[name] ?? false));

/** Whether the conversation begins with a summary that was not there yet at that version. */
function hasCompacted(state: SessionState, then: number): boolean {
  const [first] = transcript(state);
  return first !== undefined && isBoundary(first) && (state.messages.get(first.uuid)?.seq ?? 0) > then;
}

function hasMoved(state: SessionState, since: string): boolean {
  for (const { at, restoredAt } of state.rewinds.values()) if (at >= since || (restoredAt !== null && restoredAt >= since)) return true;
  return false;
}

/** The first block of the broken message that a pass now treats otherwise, and that pass. */
function culprit(earlier: BuiltPayload, later: BuiltPayload, message: number): Pick<PrefixBreak, 'cause' | 'source'> {
  if (contextIn(earlier) !== contextIn(later)) return { cause: 'configuration: context' };
  const treatedThen = treatments(earlier.trace);
  const treatedNow = treatments(later.trace);
  const suspects = [...earlier.trace, ...later.trace].filter(({ target }) => target?.message === message);
  for (const { source } of suspects) {
    if (!source) continue;
    const key = keyOf(source);
    const before = new Set(treatedThen.get(key)?.map(passAndAction));
    const fresh = treatedNow.get(key)?.find((entry) => !before.has(passAndAction(entry)) && entry.action !== 'kept');
    if (fresh) return { cause: fresh.pass, source };
  }
  const made = later.trace.find(({ source, target }) => source === null && target?.message === message);
  return made ? { cause: made.pass } : {};
}

/** What the session wants the model to know, as it stands in front of the conversation. */
function contextIn({ trace, payload }: BuiltPayload): string {
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
