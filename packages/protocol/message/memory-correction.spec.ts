import { describe, expect, it } from '@jest/globals';
import { MEMORY_CORRECTION, withMemoryCorrection } from './memory-correction.js';
import { DEFAULT_PROMPT_GATES } from '../gates.js';

describe('the memory note after a rejection', () => {
  it.each([
    [false, false, ''],
    [true, false, ''],
    [false, true, ''],
    [true, true, MEMORY_CORRECTION],
  ])('with auto-memory %s and memory-correction %s', (autoMemory, correction, note) => {
    expect(withMemoryCorrection('No.', { ...DEFAULT_PROMPT_GATES, 'auto-memory': autoMemory, 'memory-correction': correction })).toBe(`No.${note}`);
  });
});
