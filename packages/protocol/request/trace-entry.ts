export const TRACE_ACTIONS = ['kept', 'changed', 'moved', 'merged', 'dropped', 'added'] as const;

/** One action of one pass on one block. */
export interface TraceEntry {
  /** The stored block: its message and its index there. Null for a block that a pass added. */
  readonly source: { readonly uuid: string; readonly index: number } | null;
  readonly action: (typeof TRACE_ACTIONS)[number];
  readonly pass: string;
  readonly reason: string;
  /** Its position in the payload; null when it is not sent. */
  readonly target: { readonly message: number; readonly block: number } | null;
}

/** What the trace says of a block that is sent as it is stored. */
export const KEPT = { action: 'kept', pass: 'none', reason: 'no pass changed it' } as const;
