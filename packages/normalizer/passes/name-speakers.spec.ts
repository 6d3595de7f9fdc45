import { expect, it } from '@jest/globals';
import { conversation, image, result, runPass, text, turn, user } from '../../../test/support/normalize/build.js';
import { nameSpeakers } from './name-speakers.js';

it('puts the name before the first text of a message that has one', () => {
  const entries = conversation(
    user('p', { speaker: 'Ann' }),
    user('q'),
    user([image(), text('r'), text('s')], { speaker: 'Bob' }),
    user('body', { isMeta: true, speaker: 'Ann' }),
    user([result('x')], { speaker: 'Ann' }),
  );
  expect(runPass(nameSpeakers, entries)).toMatchObject({
    isIdempotent: true,
    messages: [
      turn('user', text('Ann: p')),
      turn('user', text('q')),
      turn('user', image(), text('Bob: r'), text('s')),
      turn('user', text('body')),
      turn('user', result('x')),
    ],
    trace: [
      ['changed', '0.0', '0.0'],
      ['changed', '2.1', '2.1'],
    ],
  });
});
