import { type ContentBlock, type ImageBlock, isBlobSource } from '../../message/content.js';
import { base64Bytes } from '../../media/base64.js';
import { imageHeader } from '../../media/image-header.js';
import { readPdf } from '../../media/pdf.js';
import { isBlank, isObject, loose, onlyKeys } from '../../message/unknown-json.js';
import { mapMediaOf } from '../map-media.js';
import { eachMessage, type Pass } from '../pass.js';
import { MEDIA_UNUSABLE } from '../placeholders.js';
import type { Profile } from '../../models/profiles.js';
import type { Media } from '../../media/media-block.js';

/**
 * One bad picture in an old turn fails every later request: `Could not process image`, `The image was specified using the image/png media type, but the image
 * appears to be a image/jpeg image`, `image exceeds 10 MB maximum`, `At least one of the image dimensions exceed max allowed size: 8000 pixels`, `The PDF
 * specified was not valid.`, `A maximum of 600 PDF pages may be provided.` A wrong label is put right from the bytes; what cannot be sent gives way
 * to a note. Needs `repair-tool-results`.
 */
export const validateMedia: Pass = {
  name: 'validate-media',
  reason: 'the model API takes JPEG, PNG, GIF, WebP and PDF under their right label and within the limits of this model',
  ...eachMessage((message, { profile }) => mapMediaOf(message, (media) => sendable(media, profile))),
};

const UNUSABLE: ContentBlock = { type: 'text', text: MEDIA_UNUSABLE };

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
      return media.type === 'document' && isContent(source['content']) ? withSource(media, ['content']) : UNUSABLE;
    case 'blob':
      // Nobody from outside may name bytes, so whoever made this view has left a step out.
      if (isBlobSource(source)) throw new Error('a message still names its bytes where they should be');
      return UNUSABLE;
    default:
      return UNUSABLE;
  }
}

function image(block: ImageBlock, data: string, { image: limits }: Profile): ContentBlock {
  const bytes = base64Bytes(data);
  const header = bytes && imageHeader(bytes);
  const fits = header && data.length <= limits.maxBase64Bytes && Math.max(header.width, header.height) <= limits.maxPixelsPerSide;
  if (!fits) return UNUSABLE;
  const labelled = withSource(block, ['data', 'media_type']) as ImageBlock;
  const isRight = labelled.source.type === 'base64' && labelled.source.media_type === header.mediaType;
  return isRight ? labelled : { ...labelled, source: { type: 'base64', media_type: header.mediaType, data } };
}

function pdf(block: Media, data: string, { maxPdfPages }: Profile): ContentBlock {
  const bytes = loose(block.source)['media_type'] === 'application/pdf' ? base64Bytes(data) : undefined;
  const found = bytes && readPdf(bytes);
  return found && (found.pages ?? 0) <= maxPdfPages ? withSource(block, ['data', 'media_type']) : UNUSABLE;
}

/** The block with nothing but these members in its source. */
function withSource(media: Media, members: readonly string[]): Media {
  const source = onlyKeys(media.source, new Set(['type', ...members]));
  return source === media.source ? media : ({ ...media, source } as Media);
}

/** Text, or a list of text blocks that say something. */
function isContent(content: unknown): boolean {
  return typeof content === 'string'
    ? !isBlank(content)
    : Array.isArray(content) && content.length > 0 && content.every((block) => isObject(block) && block['type'] === 'text' && !isBlank(block['text']));
}
