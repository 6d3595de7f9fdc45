import type { PromptGates } from '../gates.js';

/** Behind what tells the model that a person would not have it. */
export const MEMORY_CORRECTION =
  '\n\nNote: what the user says next may be a correction that holds beyond this moment. If it tells how they like work to be done, it is worth putting into memory for later sessions.';

/** A reject or cancel text as the model is to read it: with the note when both gates are on. */
export function withMemoryCorrection(text: string, gates: Pick<PromptGates, 'auto-memory' | 'memory-correction'>): string {
  return gates['auto-memory'] && gates['memory-correction'] ? text + MEMORY_CORRECTION : text;
}
