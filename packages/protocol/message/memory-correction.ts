import type { PromptGates } from '../gates.js';

/** Appended to results of rejected and cancelled calls. */
export const MEMORY_CORRECTION =
  '\n\nNote: the next message of the user may be a correction that applies beyond this task. If it states how they prefer work to be done, save it to memory for later sessions.';

/**
 * The text for the model, with the note when its gate is on and there is a memory to save to: the one of this server, which the turn has (`hasMemory`), or one of the client, which
 * the gate `auto-memory` declares.
 */
export function withMemoryCorrection(text: string, gates: Pick<PromptGates, 'auto-memory' | 'memory-correction'>, hasMemory: boolean): string {
  return gates['memory-correction'] && (hasMemory || gates['auto-memory']) ? text + MEMORY_CORRECTION : text;
}
