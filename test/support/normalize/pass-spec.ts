import { expect } from '@jest/globals';
import type { Pass, PassContext } from '../../../packages/normalizer/pass.js';
import { assistant, conversation, type Entry, runPass, turn, user } from './build.js';

/** Expects that `pass` makes `after` of the blocks of one message, once, and traces why. */
export function expectBlocks(kind: 'user' | 'assistant', pass: Pass, before: readonly object[], after: readonly object[]): void {
  const ran = runPass(pass, conversation(kind === 'user' ? user(before) : assistant('m', before)));
  expect(ran.messages).toEqual([turn(kind, ...after)]);
  expect(ran).toMatchObject({ isSame: false, isIdempotent: true });
  expect(ran.trace).not.toEqual([]);
  for (const [action] of ran.trace) expect(['changed', 'dropped', 'moved']).toContain(action);
}

/** Expects that `pass` makes `after` of a conversation, once, with exactly this trace. */
export function expectTurns(pass: Pass, entries: readonly Entry[], after: readonly object[], trace: readonly unknown[], context?: PassContext): void {
  expect(runPass(pass, conversation(...entries), context)).toEqual({ isSame: trace.length === 0, isIdempotent: true, messages: after, trace });
}

/** Expects that `pass` returns the conversation itself: nothing is changed or traced. */
export function expectSame(pass: Pass, entries: readonly Entry[], context?: PassContext): void {
  expect(runPass(pass, conversation(...entries), context)).toMatchObject({ isSame: true, trace: [] });
}
