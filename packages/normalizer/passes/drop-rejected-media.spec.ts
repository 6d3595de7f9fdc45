import { describe, expect, it } from '@jest/globals';
import { assistant, conversation, type Entry, image, result, runPass, text, user, uuidAt } from '../../../test/support/normalize/build.js';
import { RESULT_REJECTED } from '../placeholders.js';
import { blockUuid } from '../../protocol/message/ids.js';
import { dropRejectedMedia } from './drop-rejected-media.js';

describe('drop-rejected-media', () => {
  const failure = (apiError: unknown) => assistant('e', [text('rejected')], { isApiErrorMessage: true, apiError });
  const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } };
  const left = (...entries: readonly Entry[]) =>
    runPass(dropRejectedMedia, conversation(...entries)).messages.map(({ blocks }) => blocks.map(({ type }) => type));

  it.each([
    [
      'a file that was read for the user, before one the user sent',
      ['pdf_invalid'],
      [user([pdf], { isMeta: true }), user([pdf, text('p')])],
      [['document', 'text']],
    ],
    [
      'the nearest of its kind',
      ['image_too_large'],
      [user([image(), text('p')]), user([image(), pdf, text('q')])],
      [
        ['image', 'text'],
        ['document', 'text'],
      ],
    ],
    ['both kinds, when the request was too large', ['request_too_large'], [user([image(), pdf, text('q')])], [['text']]],
    [
      'another one for a second rejection',
      ['image_too_large', 'image_too_large'],
      [user([image(), text('p')]), user([image(), text('q')])],
      [['text'], ['text']],
    ],
    ['pictures inside a result', ['image_too_large'], [user([result('x', [image(), text('a')])])], [['tool_result']]],
    ['the block that was named', [{ type: 'block_rejected', blockUuid: uuidAt(0), index: 1 }], [user([text('p'), image()])], [['text']]],
    [
      'the block that was named by its own uuid',
      [{ type: 'block_rejected', blockUuid: blockUuid(uuidAt(0), 1), index: 1 }],
      [user([text('p'), image()])],
      [['text']],
    ],
    ['nothing, when nothing is there', ['pdf_too_large'], [user('p')], [['text']]],
    ['nothing of a result with null in it', ['pdf_too_large'], [user([result('x', [null, text('a')])])], [['tool_result']]],
  ])('takes out %s', (_what, errors, entries, after) => {
    expect(left(...entries, ...errors.map(failure))).toEqual(after);
  });

  it('takes a single block out of a tool result, and keeps a result that was rejected as a whole with a note', () => {
    const rejected = (inner?: number) => failure({ type: 'block_rejected', blockUuid: uuidAt(0), index: 0, ...(inner === undefined ? {} : { inner }) });
    const first = (...errors: readonly Entry[]) =>
      runPass(dropRejectedMedia, conversation(user([result('x', [text('a'), image(), text('b')])]), ...errors)).messages[0]?.blocks;
    expect(first(rejected(1))).toEqual([result('x', [text('a'), text('b')])]);
    expect(first(rejected(1), rejected(2))).toEqual([result('x', [text('a')])]);
    expect(first(rejected())).toEqual([result('x', RESULT_REJECTED)]);
  });
});
