/** Replaces items, and removes those for which `change` returns null. Returns the same list when nothing changes; copies it only from the first change on. */
export function mapped<T, C>(items: readonly T[], change: (item: T, context: C, index: number) => T | null, context: C): readonly T[] {
  let result: T[] | null = null;
  for (let index = 0; index < items.length; index += 1) {
    const before = items[index] as T;
    const after = change(before, context, index);
    if (result === null && after !== before) result = items.slice(0, index);
    if (result !== null && after !== null) result.push(after);
  }
  return result ?? items;
}
