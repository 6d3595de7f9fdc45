import { it } from '@jest/globals';
import { image, PIXEL, result, text, user } from '../../../../test/support/normalize/build.js';
import { expectBlocks, expectSame } from '../../../../test/support/normalize/pass-spec.js';
import { MEDIA_UNUSABLE } from '../placeholders.js';
import { validateMedia } from './validate-media.js';

it.each<[string, object[], object[]]>([
  ['replaces an image without bytes, or of no image format, by a text', [image(''), image('bm8gcGljdHVyZQ==')], [text(MEDIA_UNUSABLE), text(MEDIA_UNUSABLE)]],
  ['corrects a wrong media type', [image(PIXEL, 'image/heic')], [image(PIXEL, 'image/png')]],
  ['looks inside results', [result('x', [image('')])], [result('x', [text(MEDIA_UNUSABLE)])]],
])('%s', (_what, before, after) => {
  expectBlocks('user', validateMedia, before, after);
});

it('keeps a valid image', () => {
  expectSame(validateMedia, [user([image()])]);
});
