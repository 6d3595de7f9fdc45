import { expect, it } from '@jest/globals';
import { contextOf, conversation, image, runPass, text, turn, user } from '../../../test/support/normalize/build.js';
import { MEDIA_OVER_LIMIT } from '../placeholders.js';
import { capMedia } from './cap-media.js';

const context = contextOf({ model: 'claude-haiku-4-5' });
const pictures = (count: number) => runPass(capMedia, conversation(...Array.from({ length: count }, () => user([image()]))), context);

it('removes the oldest images, a quarter of the limit at a time', () => {
  const left = (count: number): number => pictures(count).messages.filter(({ blocks }) => blocks[0]?.type === 'image').length;
  expect([100, 101, 125, 126].map(left)).toEqual([100, 76, 100, 76]);
});

it('puts a text in their place', () => {
  expect(pictures(101).messages[0]).toEqual(turn('user', text(MEDIA_OVER_LIMIT)));
});
