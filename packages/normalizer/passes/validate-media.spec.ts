import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pdfFile } from '../../../test/support/api-rules/pdf-file.js';
import { contextOf, conversation, image, PIXEL, result, text, user } from '../../../test/support/normalize/build.js';
import { expectBlocks, expectSame } from '../../../test/support/normalize/pass-spec.js';
import { base64Bytes } from '../media/base64.js';
import { profileFor } from '../models/profiles.js';
import { inspectFile } from '../../../src/session/prompt/files/inspect-file.js';
import { MEDIA_UNUSABLE, mediaLeftOut } from '../placeholders.js';
import { lift } from '../working-message.js';
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

it('replaces exactly the PDFs that a prompt cannot have, for the reason that the prompt is given', () => {
  const files = fc.record({ pages: fc.constantFrom(0, 1, 100, 101, 600, 601), encrypted: fc.boolean(), compressed: fc.boolean() });
  fc.assert(
    fc.property(files, fc.constantFrom('claude-haiku-4-5', 'claude-opus-5'), (file, model) => {
      const data = Buffer.from(pdfFile(file), 'latin1').toString('base64');
      const { maxPdfPages } = profileFor(model);
      const limits = { maxImageBytes: 1e9, maxImagePixels: 1e9, maxImages: 10, maxDocumentBytes: 1e9, maxDocumentPages: maxPdfPages, maxDocuments: 10 };
      const found = inspectFile('document', base64Bytes(data)!, limits);
      const document = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } };
      const [message] = validateMedia.apply(lift(conversation(user([document]))), contextOf({ model }));
      expect(message?.blocks[0]?.block).toEqual(typeof found === 'string' ? text(mediaLeftOut(found)) : document);
    }),
  );
});
