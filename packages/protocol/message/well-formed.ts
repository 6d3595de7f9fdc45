/** A JSON value with all strings, keys included, well-formed (lone surrogates replaced); the same value when they already are. */
export function wellFormed<T>(value: T): T {
  return repaired(value) as T;
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? repairedList(value) : repairedObject(value as Record<string, unknown>);
}

function repairedList(list: readonly unknown[]): readonly unknown[] {
  for (let index = 0; index < list.length; index += 1) {
    if (repaired(list[index]) !== list[index]) return list.map(repaired);
  }
  return list;
}

function repairedObject(object: Record<string, unknown>): unknown {
  for (const key in object) {
    if (!key.isWellFormed() || repaired(object[key]) !== object[key]) {
      return Object.fromEntries(Object.entries(object).map(([name, value]) => [name.toWellFormed(), repaired(value)]));
    }
  }
  return object;
}
