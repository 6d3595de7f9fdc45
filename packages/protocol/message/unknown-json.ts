/**
 * Stored content is typed, but comes from clients, imports, other providers and older versions. Code that must handle values which the types rule out reads them
 * through these helpers.
 */
export type UnknownObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is UnknownObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value as an object with unknown members; an empty object when it is not one. */
export const loose = (value: unknown): UnknownObject => (isObject(value) ? value : {});

export const isBlank = (value: unknown): boolean => typeof value !== 'string' || value.trim() === '';

/** The object without keys that are not allowed; the same object when there are none. */
export function onlyKeys<T extends object>(value: T, allowed: ReadonlySet<string>): T {
  for (const key in value) {
    if (!allowed.has(key)) return Object.fromEntries(Object.entries(value).filter(([name]) => allowed.has(name))) as T;
  }
  return value;
}
