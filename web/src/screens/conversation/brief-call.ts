/** The first text of the input of a call, on one line. */
export function briefOf(input: unknown): string {
  const values = typeof input === 'object' && input !== null ? Object.values(input) : [input];
  const first = values.find((value) => typeof value === 'string' && value !== '') ?? values[0];
  if (Array.isArray(first)) return first.length === 1 ? '1 item' : `${first.length} items`;
  const text = typeof first === 'string' ? first : (JSON.stringify(first) ?? '');
  return text.slice(0, 200).replace(/\s+/g, ' ');
}
