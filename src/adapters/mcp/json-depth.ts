/** What is nested more deeply breaks whoever reads it by calling himself. */
const DEEPEST = 100;

/** Whether JSON is nested no deeper than others can bear; without recursion, for JSON of any depth. */
export function isShallow(json: unknown): boolean {
  let level: readonly unknown[] = [json];
  for (let depth = 0; depth <= DEEPEST; depth += 1) {
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
    if (level.length === 0) return true;
  }
  return false;
}
