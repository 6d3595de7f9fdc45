import { expect, it } from '@jest/globals';
import { conversation, image, result, runPass, text, turn, user, uuidAt } from '../../../test/support/normalize/build.js';
import { shortId } from '../../protocol/message/ids.js';
import { tagMessages } from './tag-messages.js';

it('names the messages that a person wrote', () => {
  const entries = conversation(user('p'), user('body', { isMeta: true }), user([image(), text('q'), image()]), user([result('x')]));
  expect(runPass(tagMessages, entries)).toMatchObject({
    isIdempotent: true,
    messages: [
      turn('user', text(`p\n[id:${shortId(uuidAt(0))}]`)),
      turn('user', text('body')),
      turn('user', image(), text(`q\n[id:${shortId(uuidAt(2))}]`), image()),
      turn('user', result('x')),
    ],
    trace: [
      ['changed', '0.0', '0.0'],
      ['changed', '2.1', '2.1'],
    ],
  });
});
