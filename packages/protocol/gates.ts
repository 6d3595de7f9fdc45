/** Named switches of normalization. The values in force are recorded with every request, so that its payload can be rebuilt. */
export const NORMALIZE_GATES = ['tool-reference-relocation', 'system-reminder-folding', 'history-snip', 'tool-search', 'advisor'] as const;
/** Named switches of prompt processing. They change what is stored, so nothing has to be recorded with a request. */
export const PROMPT_GATES = ['ultraplan', 'auto-memory', 'memory-correction'] as const;

export type NormalizeGate = (typeof NORMALIZE_GATES)[number];
export type PromptGate = (typeof PROMPT_GATES)[number];
export type Gate = NormalizeGate | PromptGate;
export type NormalizeGates = Readonly<Record<NormalizeGate, boolean>>;
export type PromptGates = Readonly<Record<PromptGate, boolean>>;

/** Every gate. */
export const GATES: readonly Gate[] = [...NORMALIZE_GATES, ...PROMPT_GATES];

/** All gates are off by default. */
export const DEFAULT_NORMALIZE_GATES: NormalizeGates = {
  'tool-reference-relocation': false,
  'system-reminder-folding': false,
  'history-snip': false,
  'tool-search': false,
  advisor: false,
};

export const DEFAULT_PROMPT_GATES: PromptGates = { ultraplan: false, 'auto-memory': false, 'memory-correction': false };

export const DEFAULT_GATES: Readonly<Record<Gate, boolean>> = { ...DEFAULT_NORMALIZE_GATES, ...DEFAULT_PROMPT_GATES };

/** What changes when a gate is on. */
export const GATE_DESCRIPTIONS: Readonly<Record<Gate, string>> = {
  'tool-reference-relocation': 'Text next to a tool reference is moved after it, instead of a boundary being inserted.',
  'system-reminder-folding': 'Attached context is wrapped as a system reminder and merged into the adjacent tool result.',
  'history-snip':
    'User messages carry a short tag by which the model can name them to a tool of the client. This server has no tool that removes messages; rewinds do.',
  'tool-search':
    'Tools of the client with `defer_loading` are sent deferred, and tool references and the callers of tool calls are kept. The tool that searches is one of the client.',
  advisor: 'Blocks of the advisor tool are kept, and requests carry its beta header.',
  ultraplan: 'A prompt that contains the keyword runs the planning command.',
  'auto-memory': 'Declares that a client or its tools keep a memory across sessions. The memory of this server is a setting of the tenant and needs no gate.',
  'memory-correction':
    'A rejected or cancelled tool call asks the model to save the correction that may follow, where the turn has a memory: that of this server, or with auto-memory one of the client.',
};

/** The gates that are on, as they are stored with a request: a gate that is not among them was off, also one that did not exist yet. */
export function enabledGates(gates: NormalizeGates): Readonly<Record<string, boolean>> {
  return Object.fromEntries(Object.entries(gates).filter(([, enabled]) => enabled));
}

export const isGate = (name: string): name is Gate => Object.hasOwn(DEFAULT_GATES, name);
