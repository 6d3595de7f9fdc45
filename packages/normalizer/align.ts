import type { WorkingMessage } from './working-message.js';

/** Marks a message of `after` that has no aligned message in `before`. */
export const NEW = -1;

export interface Alignment {
  /** For each message of `after` its index in `before`, or `NEW`. The indexes are ascending. */
  readonly origins: Int32Array;
  /** Indexes in `before` of messages that were removed, replaced or moved relative to their neighbours. */
  readonly unplaced: readonly number[];
}

/** Messages searched ahead before an index is built: passes merge and drop a few neighbouring messages at a time. */
const LOOK_AHEAD = 4;

/** Aligns two lists by identity: finds the messages they share in the same order. Linear in their length. */
export function align(before: readonly WorkingMessage[], after: readonly WorkingMessage[]): Alignment {
  const origins = new Int32Array(after.length).fill(NEW);
  const unplaced: number[] = [];
  let index: Map<WorkingMessage, number> | undefined;
  let next = 0;
  for (let at = 0; at < before.length; at += 1) {
    const message = before[at] as WorkingMessage;
    let place = nearby(message, after, next);
    if (place === NEW && !continues(before, after, at, next)) {
      index ??= new Map(after.map((other, at) => [other, at]));
      place = index.get(message) ?? NEW;
    }
    if (place < next) unplaced.push(at);
    else {
      origins[place] = at;
      next = place + 1;
    }
  }
  return { origins, unplaced };
}

function nearby(message: WorkingMessage, after: readonly WorkingMessage[], next: number): number {
  for (let place = next; place < Math.min(next + LOOK_AHEAD, after.length); place += 1) if (after[place] === message) return place;
  return NEW;
}

/** Whether one of the next messages is found at its expected position, which means that the current one was replaced, merged or dropped. */
function continues(before: readonly WorkingMessage[], after: readonly WorkingMessage[], at: number, next: number): boolean {
  for (let ahead = at + 1; ahead < Math.min(at + 1 + LOOK_AHEAD, before.length); ahead += 1) {
    if (nearby(before[ahead] as WorkingMessage, after, next) !== NEW) return true;
  }
  return false;
}
