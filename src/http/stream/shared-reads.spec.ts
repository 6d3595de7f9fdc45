import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { SharedReads } from './shared-reads.js';

describe('shared reads', () => {
  it('are one read for the callers of the same turn of the event loop and the same key', async () => {
    const reads = new SharedReads<number>();
    let count = 0;
    const make = async (): Promise<number> => (count += 1);
    const first = [reads.read('one', make), reads.read('one', make), Promise.resolve().then(() => reads.read('one', make))];
    expect(await Promise.all(first)).toEqual([1, 1, 1]);
    expect(await reads.read('other', make)).toBe(2);
    await nextTurn();
    expect(await reads.read('one', make)).toBe(3);
  });

  it('do not keep a failure for later callers', async () => {
    const reads = new SharedReads<string>();
    await expect(reads.read('one', () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    await nextTurn();
    expect(await reads.read('one', async () => 'there')).toBe('there');
  });
});
