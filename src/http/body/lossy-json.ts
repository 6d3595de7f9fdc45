import { DomainError } from '../../../packages/protocol/errors.js';
import { nextUnheld } from '../../../packages/protocol/message/exact-json.js';
import { afterSpace, eachItem, endOfValue } from '../../../packages/protocol/message/json-scan.js';
import { pointerSegment } from '../../../packages/protocol/message/json-pointer.js';

interface Level {
  readonly value: object;
  readonly keys: readonly string[] | null;
  next: number;
}

/**
 * Rejects the member name `__proto__`, which an assignment turns into a prototype, so that it would not survive storage. Iterative: its memory grows with the depth
 * only.
 */
export function rejectLossyJson(root: unknown, subject: string): void {
  const levels: Level[] = [];
  visit(root, levels);
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const length = level.keys?.length ?? (level.value as readonly unknown[]).length;
    if (level.next >= length) {
      levels.pop();
      continue;
    }
    const key = level.keys?.[level.next] ?? String(level.next);
    level.next += 1;
    if (key === '__proto__') throw lost(pointerOf(levels), subject, 'is a member name that cannot be stored');
    visit((level.value as Readonly<Record<string, unknown>>)[key], levels);
  }
}

function visit(value: unknown, levels: Level[]): void {
  if (typeof value !== 'object' || value === null) return;
  levels.push({ value, keys: Array.isArray(value) ? null : Object.keys(value), next: 0 });
}

/** Rejects numbers that a double does not hold: an integer would be rounded, a number beyond its range be stored as null. `text` is valid JSON. */
export function rejectUnheldNumbers(text: string, subject: string): void {
  const found = nextUnheld(text);
  if (found) throw lost(pointerTo(text, found.at), subject, 'is a number that a double cannot hold; send it as a string');
}

/** The pointer of the value that begins at `target`. */
function pointerTo(text: string, target: number): string {
  let pointer = '';
  for (let start = afterSpace(text, 0); start < target;) {
    let index = 0;
    let next = target;
    eachItem(text, start, ({ name, at }) => {
      const end = endOfValue(text, at);
      if (at <= target && target < end) {
        pointer += `/${pointerSegment(name ?? String(index))}`;
        next = at;
      }
      index += 1;
      return end;
    });
    start = next;
  }
  return pointer;
}

/** The member that each level visited last. */
const pointerOf = (levels: readonly Level[]): string => levels.map(({ keys, next }) => `/${pointerSegment(keys?.[next - 1] ?? String(next - 1))}`).join('');

function lost(pointer: string, subject: string, text: string): DomainError {
  return new DomainError('invalid_input', `${subject} contains a value that cannot be stored unchanged.`, [{ pointer, text }]);
}
