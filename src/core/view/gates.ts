/** Named switches of the view. What was in force is written down with every request, so that its payload can be rebuilt. */
export const GATES = ['tool-reference-relocation', 'system-reminder-folding', 'history-snip', 'tool-search', 'advisor'] as const;

export type Gate = (typeof GATES)[number];
export type Gates = Readonly<Record<Gate, boolean>>;

/** Off unless said. */
export const DEFAULT_GATES: Gates = {
  'tool-reference-relocation': false,
  'system-reminder-folding': false,
  'history-snip': false,
  'tool-search': false,
  advisor: false,
};
