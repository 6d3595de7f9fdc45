import { evolve } from './evolve.js';
import type { NewEvent, SessionEvent } from '../../../packages/protocol/events/events.js';
import type { SessionState, Turn } from './state.js';
import { continuePath } from './tree.js';

/**
 * The state after events of the running turn that are not stored yet: what the next decision in the same append is based on. `state` stays unchanged, and the
 * result shares with it whatever the events leave alone. Only for events that prepare a turn or create a session, since others change what is shared; throws for those.
 */
export function applyUncommitted(state: SessionState, events: readonly NewEvent[]): SessionState {
  const turn = state.turn && copied(state.turn);
  const turns = new Layered(state.turns);
  if (turn) turns.set(turn.turnId, turn);
  const ahead: SessionState = { ...state, turn, turns, messages: new Layered(state.messages) };
  continuePath(state, ahead);
  for (const event of events) {
    if (!PREPARING.has(event.type)) throw new Error(`the state after ${event.type} cannot be applied before it is committed`);
    evolve(ahead, recorded(event, ahead));
  }
  return ahead;
}

const PREPARING: ReadonlySet<NewEvent['type']> = new Set(['hook.completed', 'message.appended', 'session.created', 'turn.prepared']);

function copied(turn: Turn): Turn {
  return { ...turn, requestIds: [...turn.requestIds], messages: [...turn.messages], calls: new Map([...turn.calls].map(([id, call]) => [id, { ...call }])) };
}

/** As it will be read from the log: what JSON leaves out is not there. */
function recorded({ type, data }: NewEvent, { version, updatedAt }: SessionState): SessionEvent {
  const actor = { kind: 'system', id: 'worker' } as const;
  return { id: '', seq: version + 1, type, time: updatedAt ?? '', sessionId: '', actor, data: asStored(data) } as SessionEvent;
}

/** A copy without the members that are undefined. The strings, which may be megabytes, are shared with the original. */
function asStored(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : asStored(item)));
  return Object.fromEntries(Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, asStored(member)]])));
}

/** A map with its own entries over those of another, which it does not copy. Nothing is deleted from it. */
class Layered<Key, Value> extends Map<Key, Value> {
  readonly #below: ReadonlyMap<Key, Value>;

  constructor(below: ReadonlyMap<Key, Value>) {
    super();
    this.#below = below;
  }

  override get(key: Key): Value | undefined {
    return super.get(key) ?? this.#below.get(key);
  }

  override has(key: Key): boolean {
    return super.has(key) || this.#below.has(key);
  }

  override get size(): number {
    return [...super.keys()].filter((key) => !this.#below.has(key)).length + this.#below.size;
  }

  override *entries(): MapIterator<[Key, Value]> {
    for (const key of this.#below.keys()) yield [key, this.get(key) as Value];
    for (const entry of super.entries()) if (!this.#below.has(entry[0])) yield entry;
  }

  override *keys(): MapIterator<Key> {
    for (const [key] of this.entries()) yield key;
  }

  override *values(): MapIterator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  override [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.entries();
  }

  override forEach(use: (value: Value, key: Key, map: Map<Key, Value>) => void): void {
    for (const [key, value] of this.entries()) use(value, key, this);
  }
}
