import type { ContentBlock } from '../../message/content.js';
import { base64Bytes } from '../../strict/base64.js';
import { imageHeader } from '../../strict/image-header.js';
import { mapMedia, type Media } from '../media.js';
import type { Pass, PassContext } from '../pass.js';
import { MEDIA_OVER_LIMIT } from '../placeholders.js';
import type { Working } from '../working.js';

/**
 * `too many images and documents: 601 + 0 > 600`; and with more than 20 of them, `At least one of the image dimensions exceed max allowed size for many-image
 * requests: 2000 pixels`. The oldest give way to a note, a quarter of the limit at a time, so that the prefix is rewritten once in a while and not with every
 * new picture; pictures too large for a crowd go when it becomes one. These are the breaks of the prefix rule that this pass stands for in the trace. Needs
 * `validate-media`.
 */
export const capMedia: Pass = {
  name: 'cap-media',
  reason: 'a request holds only so many images and documents, and among many of them only smaller ones',
  run: cap,
};

const OVER_LIMIT: ContentBlock = { type: 'text', text: MEDIA_OVER_LIMIT };

function cap(messages: Working, { profile: { image: limits } }: PassContext): Working {
  const { images, documents } = count(messages);
  const total = images + documents;
  const crowd = images + (limits.manyImageCountsDocuments ? documents : 0);
  if (total <= limits.maxCount && crowd <= limits.manyImageThreshold) return messages;
  const step = Math.ceil(limits.maxCount / 4);
  let excess = total <= limits.maxCount ? 0 : Math.ceil((total - limits.maxCount) / step) * step;
  return mapMedia(messages, (media) => {
    if (excess > 0) {
      excess -= 1;
      return OVER_LIMIT;
    }
    return crowd > limits.manyImageThreshold && longestSide(media) > limits.manyImagePixels ? OVER_LIMIT : media;
  });
}

function count(messages: Working): { readonly images: number; readonly documents: number } {
  let images = 0;
  let documents = 0;
  mapMedia(messages, (media) => {
    if (media.type === 'image') images += 1;
    else documents += 1;
    return media;
  });
  return { images, documents };
}

/** Pixels; 0 where the bytes are not at hand. */
function longestSide({ type, source }: Media): number {
  const bytes = type === 'image' && source.type === 'base64' ? base64Bytes(source.data) : undefined;
  const header = bytes && imageHeader(bytes);
  return header ? Math.max(header.width, header.height) : 0;
}
