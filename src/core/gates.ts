import { DEFAULT_INTAKE_GATES, INTAKE_GATES, type IntakeGate } from './intake/gates.js';
import { DEFAULT_GATES, GATES, type Gate } from './view/gates.js';

export type AnyGate = Gate | IntakeGate;

/** Every named switch there is. */
export const ALL_GATES: readonly AnyGate[] = [...GATES, ...INTAKE_GATES];

export const GATE_DEFAULTS: Readonly<Record<AnyGate, boolean>> = { ...DEFAULT_GATES, ...DEFAULT_INTAKE_GATES };

/** What is different when it is on. */
export const GATE_DESCRIPTIONS: Readonly<Record<AnyGate, string>> = {
  'tool-reference-relocation': 'Texts that stand beside references to tools are moved behind them, instead of a boundary being put there.',
  'system-reminder-folding': 'Attached context is marked as a system reminder, and goes into the tool result it stands next to.',
  'history-snip': 'Messages of the user carry a short tag, by which the model can name them.',
  'tool-search': 'References to tools and the callers of tool calls are kept, for models that look their tools up.',
  advisor: 'Blocks of the advisor are kept.',
  ultraplan: 'A prompt that names the keyword is answered by the planning command.',
  'auto-memory': 'What the model should remember is kept from one session to the next.',
  'memory-correction': 'A refused or cancelled tool call asks the model to correct what it remembers; needs auto-memory.',
};

export const isGate = (name: string): name is AnyGate => Object.hasOwn(GATE_DEFAULTS, name);
