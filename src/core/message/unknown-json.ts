/**
 * Stored content is typed, but it came from outside: clients, imports, other providers, older versions. Where a pass repairs what the types rule out,
 * it looks at a value through these.
 */
export type UnknownObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is UnknownObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as an object of which nothing is known; one without members when it is no object. */
export const loose = (value: unknown): UnknownObject => (isObject(value) ? value : {});

export const isBlank = (value: unknown): boolean => typeof value !== 'string' || value.trim() === '';

/** The object without the keys that are not allowed; the same object when it has none. */
export function onlyKeys<T extends object>(value: T, allowed: ReadonlySet<string>): T {
  for (const key in value) {
    if (!allowed.has(key)) return Object.fromEntries(Object.entries(value).filter(([name]) => allowed.has(name))) as T;
  }
  return value;
}
