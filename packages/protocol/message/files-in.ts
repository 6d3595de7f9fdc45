import { isBlobSource } from './content.js';

/** The SHA-256 of the files that a value refers to. */
export function filesIn(value: unknown): readonly string[] {
  const found: string[] = [];
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (isBlobSource(next)) found.push(next.sha256);
    if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) rest.push(member);
  }
  return found;
}
