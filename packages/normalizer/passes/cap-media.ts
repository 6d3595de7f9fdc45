import type { ContentBlock } from '../../protocol/message/content.js';
import { base64Bytes } from '../media/base64.js';
import { imageHeader } from '../media/image-header.js';
import { readPdf } from '../media/pdf.js';
import { mapMedia } from '../map-media.js';
import type { Pass, PassContext } from '../pass.js';
import { MEDIA_OVER_LIMIT } from '../placeholders.js';
import type { Working } from '../working-message.js';
import { type Media, mediaBytes } from '../media/media-block.js';

/**
 * `too many images and documents: 601 + 0 > 600`; `A maximum of 600 PDF pages may be provided`; `Request exceeds the maximum size`; and with more than 20 of them,
 * `At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels`. The oldest are replaced by a note, a quarter of a limit at a
 * time, so that the prefix changes once in a while and not with every new image; images too large for a many-image request are replaced when the request
 * becomes one. Both break the prefix. Needs `validate-media`: every remaining file is within the limits for a single file.
 */
export const capMedia: Pass = {
  name: 'cap-media',
  reason: 'a request is limited in images, documents, pages and bytes, and a many-image request in image size',
  apply: cap,
};

const OVER_LIMIT: ContentBlock = { type: 'text', text: MEDIA_OVER_LIMIT };

function cap(messages: Working, { profile }: PassContext): Working {
  const media = mediaIn(messages);
  if (media.length === 0) return messages;
  const { manyImageThreshold, manyImagePixels, manyImageCountsDocuments, maxCount } = profile.image;
  const inRequest = manyImageCountsDocuments ? media.length : media.filter(({ type }) => type === 'image').length;
  const isTooLarge = (one: Media): boolean => inRequest > manyImageThreshold && longestSide(one) > manyImagePixels;
  const sent = media.map((one) => !isTooLarge(one));
  const replaced = Math.max(
    oldest(media, () => 1, maxCount),
    oldest(media, (one, index) => (sent[index] ? bytesOf(one) : 0), mediaBytes(profile)),
    oldest(media, pagesOf, profile.maxPdfPages),
  );
  let index = 0;
  return mapMedia(messages, (one) => {
    const at = index++;
    return at >= replaced && sent[at] ? one : OVER_LIMIT;
  });
}

function mediaIn(messages: Working): readonly Media[] {
  const found: Media[] = [];
  mapMedia(messages, (media) => {
    found.push(media);
    return media;
  });
  return found;
}

/** How many of the oldest to replace so that the rest is within the limit. The amount grows in steps of a quarter of the limit; between two steps the cut does not move. */
function oldest(media: readonly Media[], size: (one: Media, index: number) => number, limit: number): number {
  const sizes = media.map(size);
  const excess = sizes.reduce((sum, one) => sum + one, 0) - limit;
  const step = Math.ceil(limit / 4);
  let left = excess <= 0 ? 0 : Math.ceil(excess / step) * step;
  let count = 0;
  for (; left > 0 && count < sizes.length; count += 1) left -= sizes[count] ?? 0;
  return count;
}

/** Size in the request: of the base64 text, or of the text of a document. */
function bytesOf({ source }: Media): number {
  return 'data' in source ? source.data.length : source.type === 'content' ? JSON.stringify(source.content).length : 0;
}

/** Pixels; 0 for images sent by reference. */
function longestSide({ type, source }: Media): number {
  const bytes = type === 'image' && source.type === 'base64' ? base64Bytes(source.data) : undefined;
  const header = bytes && imageHeader(bytes);
  return header ? Math.max(header.width, header.height) : 0;
}

/** 0 when the page count cannot be read. */
function pagesOf({ type, source }: Media): number {
  const bytes = type === 'document' && source.type === 'base64' ? base64Bytes(source.data) : undefined;
  return (bytes && readPdf(bytes)?.pages) ?? 0;
}
