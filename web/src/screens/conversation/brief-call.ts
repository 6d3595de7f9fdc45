/** The first text of the input of a call, on one line; of one that names a file beside what is done with it, both. */
export function briefOf(input: unknown): string {
  const { command, path } = (input ?? {}) as { readonly command?: unknown; readonly path?: unknown };
  if (typeof command === 'string' && typeof path === 'string') return `${command} ${path}`.slice(0, 200).replace(/\s+/g, ' ');
  const values = typeof input === 'object' && input !== null ? Object.values(input) : [input];
  const first = values.find((value) => typeof value === 'string' && value !== '') ?? values[0];
  if (Array.isArray(first)) return first.length === 1 ? '1 item' : `${first.length} items`;
  const text = typeof first === 'string' ? first : (JSON.stringify(first) ?? '');
  return text.slice(0, 200).replace(/\s+/g, ' ');
}
