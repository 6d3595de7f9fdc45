import { describe, expect, it } from '@jest/globals';
import { MEMORY_CORRECTION, withMemoryCorrection } from './memory-correction.js';
import { DEFAULT_PROMPT_GATES } from '../gates.js';

describe('the memory note after a rejection needs its gate and a memory', () => {
  it.each([
    [false, false, false, ''],
    [true, false, false, ''],
    [true, true, false, ''],
    [false, false, true, ''],
    [true, false, true, MEMORY_CORRECTION],
    [false, true, true, MEMORY_CORRECTION],
    [true, true, true, MEMORY_CORRECTION],
  ])('of the client: %s, of the turn: %s, the gate: %s', (autoMemory, hasMemory, correction, note) => {
    const gates = { ...DEFAULT_PROMPT_GATES, 'auto-memory': autoMemory, 'memory-correction': correction };
    expect(withMemoryCorrection('No.', gates, hasMemory)).toBe(`No.${note}`);
  });
});
