import { describe, expect, it } from '@jest/globals';
import { assistant, call, conversation, result, runPass, text, turn, user } from '../../../test/support/normalize/build.js';
import { mergeFragments } from './merge-fragments.js';

describe('merge-fragments', () => {
  it('puts the pieces of one answer together, over results and pieces of another', () => {
    const pieces = conversation(
      user('p'),
      assistant('m1', [text('one')]),
      assistant('m2', [text('other')]),
      user([result('x')]),
      assistant('m1', [call('y')]),
      user([result('y')]),
    );
    const { messages, trace } = runPass(mergeFragments, pieces);
    expect(messages.map(({ kind }) => kind)).toEqual(['user', 'assistant', 'assistant', 'user', 'user']);
    expect(messages[1]).toEqual(turn('assistant', text('one'), call('y')));
    expect(trace).toEqual([
      ['merged', '4.0', '1.1'],
      ['moved', '4.0', '1.1'],
    ]);
  });

  it('treats an id that recurs after a prompt as another answer', () => {
    expect(runPass(mergeFragments, conversation(user('p'), assistant('m', [text('a')]), user('q'), assistant('m', [text('b')]))).isSame).toBe(true);
  });
});
