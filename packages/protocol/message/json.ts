/** Whether JSON is nested in more than `levels` arrays and objects. Iterative, so that no depth can overflow the stack. */
export function isDeeperThan(json: unknown, levels: number): boolean {
  let level: readonly unknown[] = [json];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? (Object.values(value) as readonly unknown[]) : []));
    if (level.length === 0) return false;
  }
  return true;
}
