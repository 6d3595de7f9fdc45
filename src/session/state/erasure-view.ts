import type { ErasureRecord, SessionState } from './state.js';

/** The receipt of an erasure. */
export type ErasureView = { readonly id: string } & Omit<ErasureRecord, 'erasureId'>;

const viewOf = ({ erasureId: id, ...record }: ErasureRecord): ErasureView => ({ id, ...record });

export function erasureView(state: SessionState, erasureId: string): ErasureView {
  const record = state.erasures.get(erasureId);
  if (!record) throw new Error('the erasure has left no event');
  return viewOf(record);
}

export function erasuresView(state: SessionState): { readonly version: number; readonly data: readonly ErasureView[] } {
  return { version: state.version, data: [...state.erasures.values()].map(viewOf) };
}
