import { type ContentBlock, type ImageBlock, isBlobSource } from '../../protocol/message/content.js';
import { fitDocumentText } from '../api-rules/inner-shapes.js';
import { base64Bytes } from '../media/base64.js';
import { usablePdf } from '../media/usable-pdf.js';
import { wholeImage } from '../media/whole-image.js';
import { isBlank, loose, onlyKeys } from '../../protocol/message/unknown-json.js';
import { mapMediaOf } from '../map-media.js';
import { perMessage, type Pass } from '../pass.js';
import { MEDIA_UNUSABLE, mediaLeftOut } from '../placeholders.js';
import type { Profile } from '../models/profiles.js';
import type { Media } from '../media/media-block.js';

/**
 * One bad image in an old turn fails every later request: `Could not process image`, `The image was specified using the image/png media type, but the image
 * appears to be a image/jpeg image`, `image exceeds 10 MB maximum`, `At least one of the image dimensions exceed max allowed size: 8000 pixels`, `The PDF
 * specified was not valid.`, `The PDF specified is password protected.`, `A maximum of 600 PDF pages may be provided.` A wrong media type is corrected from the bytes; what cannot be sent is
 * replaced by a note that says why. Needs `repair-tool-results`.
 */
export const validateMedia: Pass = {
  name: 'validate-media',
  reason: 'the model API accepts JPEG, PNG, GIF, WebP and PDF with the correct media type and within the limits of this model',
  ...perMessage((message, { profile }) => mapMediaOf(message, (media) => sendable(media, profile))),
};

const UNUSABLE: ContentBlock = { type: 'text', text: MEDIA_UNUSABLE };

const leftOut = (why: string): ContentBlock => ({ type: 'text', text: mediaLeftOut(why) });

function sendable(media: Media, profile: Profile): ContentBlock {
  const source = loose(media.source);
  switch (source['type']) {
    case 'base64':
      return typeof source['data'] !== 'string'
        ? UNUSABLE
        : media.type === 'image'
          ? image(media, source['data'], profile)
          : pdf(media, source['data'], profile);
    case 'url':
      return profile.mediaByReference && !isBlank(source['url']) ? withSource(media, ['url']) : UNUSABLE;
    case 'file':
      return profile.mediaByReference && !isBlank(source['file_id']) ? withSource(media, ['file_id']) : UNUSABLE;
    case 'text':
      return media.type === 'document' && !isBlank(source['data']) && source['media_type'] === 'text/plain'
        ? withSource(media, ['data', 'media_type'])
        : UNUSABLE;
    case 'content':
      return media.type === 'document' ? withText(media, source['content']) : UNUSABLE;
    case 'blob':
      // The door rejects blob references from outside, so the caller has not embedded the blobs.
      if (isBlobSource(source)) throw new Error('a message still contains a blob reference instead of its data');
      return UNUSABLE;
    default:
      return UNUSABLE;
  }
}

function image(block: ImageBlock, data: string, { image: limits }: Profile): ContentBlock {
  const bytes = base64Bytes(data);
  const header = bytes && wholeImage(bytes);
  if (!header) return UNUSABLE;
  const { width, height } = header;
  if (data.length > limits.maxBase64Bytes) return leftOut(`has ${data.length} bytes as base64; the limit is ${limits.maxBase64Bytes}`);
  if (Math.max(width, height) > limits.maxPixelsPerSide) return leftOut(`has ${width}x${height} pixels; the limit is ${limits.maxPixelsPerSide} on each side`);
  const labelled = withSource(block, ['data', 'media_type']) as ImageBlock;
  const isRight = labelled.source.type === 'base64' && labelled.source.media_type === header.mediaType;
  return isRight ? labelled : { ...labelled, source: { type: 'base64', media_type: header.mediaType, data } };
}

function pdf(block: Media, data: string, { maxPdfPages }: Profile): ContentBlock {
  const bytes = loose(block.source)['media_type'] === 'application/pdf' ? base64Bytes(data) : undefined;
  const found = bytes && usablePdf(bytes, maxPdfPages);
  if (!found || ('fault' in found && found.fault === 'not_pdf')) return UNUSABLE;
  return 'fault' in found ? leftOut(found.text) : withSource(block, ['data', 'media_type']);
}

/** The block with only these members in its source. */
function withSource(media: Media, members: readonly string[]): Media {
  const source = onlyKeys(media.source, new Set(['type', ...members]));
  return source === media.source ? media : ({ ...media, source } as Media);
}

/** A document of text: a string, or a list of text blocks. */
function withText(media: Media, content: unknown): ContentBlock {
  const fitted = fitDocumentText(content);
  if (fitted === undefined) return UNUSABLE;
  return withSource(fitted === content ? media : ({ ...media, source: { ...media.source, content: fitted } } as Media), ['content']);
}
