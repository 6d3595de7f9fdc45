import { createTwoFilesPatch } from 'diff';

/** Files that differ more are told apart by their content only: the comparison takes time that grows with its square. */
const MOST_EDITS = 5_000;

/** The unified diff of two contents. Runs in slices, so that it does not hold the event loop. */
export async function patchOf(
  path: string,
  before: Uint8Array,
  after: Uint8Array,
): Promise<{ readonly patch: string | null; readonly omitted: 'binary' | 'large' | null }> {
  const [old, now] = [textOf(before), textOf(after)];
  if (old === null || now === null) return { patch: null, omitted: 'binary' };
  const patch = await new Promise<string | undefined>((resolve) => {
    createTwoFilesPatch(`a/${path}`, `b/${path}`, old, now, undefined, undefined, { maxEditLength: MOST_EDITS, callback: resolve });
  });
  return patch === undefined ? { patch: null, omitted: 'large' } : { patch, omitted: null };
}

/** Null: no UTF-8, or with a NUL. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
