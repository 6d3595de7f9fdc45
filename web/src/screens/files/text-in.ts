/** Null: no UTF-8, or with a NUL. */
export function textIn(content: ArrayBuffer): { readonly text: string | null } {
  const read = new Uint8Array(content);
  if (read.includes(0)) return { text: null };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(read) };
  } catch {
    return { text: null };
  }
}
