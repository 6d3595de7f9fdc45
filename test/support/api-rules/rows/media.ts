import { pdfFile } from '../pdf-file.js';
import { answered, image, older, pdf, png, request, result, text, use, user, type Row } from '../row.js';

const small = image(png(10, 10));
const one = (block: unknown) => request([user(block)]);
const many = (last: unknown) => request([user(...Array<unknown>(20).fill(small), last)]);
const padded = (bytes: number) => png(10, 10).padEnd(bytes, 'A');
const cited = (enabled: boolean) => pdf('%PDF-1.7', { citations: { enabled } });
const format = { output_config: { format: { type: 'json_schema', schema: {} } } };

export const MEDIA: readonly Row[] = [
  {
    rule: 'too-many-media',
    body: older([user(...Array<unknown>(101).fill(small))]),
    fixed: request([user(...Array<unknown>(101).fill(small))]),
    at: 'messages',
    text: 'too many images and documents: 101 + 0 > 100',
  },
  {
    rule: 'image-empty',
    body: one(image('')),
    fixed: one(small),
    at: 'messages.0.content.0',
    text: '[stand-in] messages.0.content.0.image.source.base64.data: the image is empty',
  },
  {
    rule: 'image-too-large',
    body: one(image(padded(10_485_764))),
    fixed: one(image(padded(10_485_760))),
    at: 'messages.0.content.0',
    text: 'messages.0.content.0.image: image exceeds 10 MB maximum: 10485764 bytes > 10485760 bytes',
  },
  {
    rule: 'image-too-large',
    when: 'the provider has a lower limit',
    provider: 'vertex',
    body: one(image(padded(5_242_884))),
    fixed: one(image(padded(5_242_880))),
    at: 'messages.0.content.0',
    text: 'messages.0.content.0.image.source.base64.data: image exceeds 5 MB maximum: 5242884 bytes > 5242880 bytes',
  },
  {
    rule: 'image-unreadable',
    body: one(image('aGVsbG8=')),
    fixed: one(small),
    at: 'messages.0.content.0',
    text: 'Could not process image',
  },
  {
    rule: 'image-type-mismatch',
    body: request(answered([use('a')], result('a', { content: [text('shot'), image(png(10, 10), 'image/jpeg')] }))),
    fixed: request(answered([use('a')], result('a', { content: [text('shot'), small] }))),
    at: 'messages.2.content.0.content.1',
    text:
      'messages.2.content.0.tool_result.content.1.image.source.base64: The image was specified using the image/jpeg media type, ' +
      'but the image appears to be a image/png image',
  },
  {
    rule: 'image-dimensions',
    body: one(image(png(8001, 10))),
    fixed: one(image(png(8000, 8000))),
    at: 'messages.0.content.0',
    text: 'messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
  },
  {
    rule: 'many-image-dimensions',
    body: many(image(png(10, 2001))),
    fixed: many(image(png(10, 2000))),
    at: 'messages.0.content.20',
    text:
      'messages.0.content.20.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: ' + '2000 pixels',
  },
  {
    rule: 'pdf-empty',
    body: one(pdf('')),
    fixed: one(pdf('%PDF-1.7')),
    at: 'messages.0.content.0',
    text: 'PDF cannot be empty',
  },
  {
    rule: 'pdf-invalid',
    body: one(pdf('<html>')),
    fixed: one(pdf('\n%PDF-1.7')),
    at: 'messages.0.content.0',
    text: 'messages.0.content.0.pdf.source.base64.data: The PDF specified was not valid.',
  },
  {
    rule: 'pdf-encrypted',
    body: one(pdf('%PDF-1.7 trailer << /Encrypt 4 0 R >>')),
    fixed: one(pdf('%PDF-1.7 trailer << /Root 4 0 R >>')),
    at: 'messages.0.content.0',
    text: 'The PDF specified is password protected.',
  },
  {
    rule: 'pdf-encrypted',
    when: 'the cross-references are a stream',
    body: one(pdf(pdfFile({ encrypted: true, compressed: true }))),
    fixed: one(pdf(pdfFile({ compressed: true }))),
    at: 'messages.0.content.0',
    text: 'The PDF specified is password protected.',
  },
  {
    rule: 'too-many-pdf-pages',
    body: request([user(pdf(pdfFile({ pages: 400 })), pdf(pdfFile({ pages: 201 })))]),
    fixed: request([user(pdf(pdfFile({ pages: 400 })), pdf(pdfFile({ pages: 200 })))]),
    at: 'messages.0.content.1',
    text: 'messages.0.content.1.pdf.source.base64.data: A maximum of 600 PDF pages may be provided.',
  },
  {
    rule: 'too-many-pdf-pages',
    when: 'the context window is smaller',
    body: older([user(pdf(pdfFile({ pages: 101 })))]),
    fixed: older([user(pdf(pdfFile({ pages: 100 })))]),
    at: 'messages.0.content.0',
    text: 'messages.0.content.0.pdf.source.base64.data: A maximum of 100 PDF pages may be provided.',
  },
  {
    rule: 'citations-mixed',
    body: request([user(cited(true), cited(false))]),
    fixed: request([user(cited(true), cited(true))]),
    at: 'messages.0.content.1',
    text: '[stand-in] messages.0.content.1.document: citations must be enabled on all document blocks or on none',
  },
  {
    rule: 'citations-with-output-format',
    body: request([user(cited(true))], format),
    fixed: request([user(cited(false))], format),
    at: 'messages.0.content.0',
    text: '[stand-in] citations cannot be combined with `output_config.format`',
  },
];
