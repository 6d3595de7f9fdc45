import { describe, expect, it } from '@jest/globals';
import { assistant, attachment, conversation, type Entry, result, runPass, system, text, user } from '../../../test/support/normalize/build.js';
import { INTERRUPTED } from '../../protocol/message/wire-texts.js';
import { reorderAttachments } from './reorder-attachments.js';

const diff = attachment('diff', { content: 'x' });
const kindsOf = (entries: readonly Entry[]) =>
  runPass(reorderAttachments, conversation(...entries)).messages.map(({ kind, blocks }) =>
    kind === 'attachment' ? 'A' : ((blocks[0] as { text?: string })?.text ?? kind),
  );

describe('reorder-attachments', () => {
  it.each([
    ['moves context in front of its prompt', [user('p'), diff], ['A', 'p']],
    ['keeps the order of attachments, and of what they pass', [user('p'), diff, user('q'), diff], ['A', 'A', 'p', 'q']],
    ['stops at an answer', [user('p'), assistant('m', [text('a')]), user('q'), diff], ['p', 'a', 'A', 'q']],
    ['stops at tool results', [user([result('x')]), user('q'), diff], ['user', 'A', 'q']],
    ['stops where a request failed', [user('p'), system('api_error', 'Overloaded'), user('q'), diff], ['p', 'Overloaded', 'A', 'q']],
    ['stops where a turn was interrupted', [user('p'), user([text(INTERRUPTED)]), user('q'), diff], ['p', INTERRUPTED, 'A', 'q']],
  ])('%s', (_what, entries, after) => {
    expect(kindsOf(entries)).toEqual(after);
  });

  it('traces what moved, and does not change what is in order', () => {
    expect(runPass(reorderAttachments, conversation(user('p'), diff)).trace).toEqual([['moved', '1.0', '0.0']]);
    expect(runPass(reorderAttachments, conversation(diff, user('p'), assistant('m', []), diff)).isSame).toBe(true);
  });
});
