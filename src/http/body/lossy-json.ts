import { DomainError } from '../../core/errors.js';

interface Level {
  readonly value: object;
  readonly keys: readonly string[] | null;
  next: number;
}

/**
 * Rejects values that would not survive storage: a number beyond the range of a double, which would be stored as null, and the member name `__proto__`, which an
 * assignment turns into a prototype. Iterative: its memory grows with the depth only.
 */
export function rejectLossyJson(root: unknown, subject: string): void {
  const levels: Level[] = [];
  visit(root, levels, subject);
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const length = level.keys?.length ?? (level.value as readonly unknown[]).length;
    if (level.next >= length) {
      levels.pop();
      continue;
    }
    const key = level.keys?.[level.next] ?? String(level.next);
    level.next += 1;
    if (key === '__proto__') throw lost(levels, subject, 'is a member name that cannot be stored');
    visit((level.value as Readonly<Record<string, unknown>>)[key], levels, subject);
  }
}

function visit(value: unknown, levels: Level[], subject: string): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw lost(levels, subject, 'is a number beyond the range of a double; send it as a string');
  if (typeof value !== 'object' || value === null) return;
  levels.push({ value, keys: Array.isArray(value) ? null : Object.keys(value), next: 0 });
}

/** The pointer is made of the member that each level visited last. */
function lost(levels: readonly Level[], subject: string, text: string): DomainError {
  const pointer = levels.map(({ keys, next }) => `/${escapePointer(keys?.[next - 1] ?? String(next - 1))}`).join('');
  return new DomainError('invalid_input', `${subject} contains a value that cannot be stored unchanged.`, [{ pointer, text }]);
}

/** One segment of a JSON pointer (RFC 6901). */
export function escapePointer(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}
