import type { PromptGates } from '../gates.js';

/** Appended to results of rejected and cancelled calls. */
export const MEMORY_CORRECTION =
  '\n\nNote: the next message of the user may be a correction that applies beyond this task. If it states how they prefer work to be done, save it to memory for later sessions.';

/** The text for the model, with the note when both gates are on. */
export function withMemoryCorrection(text: string, gates: Pick<PromptGates, 'auto-memory' | 'memory-correction'>): string {
  return gates['auto-memory'] && gates['memory-correction'] ? text + MEMORY_CORRECTION : text;
}
