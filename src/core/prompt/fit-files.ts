import { isBlobSource } from '../message/content.js';
import type { Failure } from '../session/events.js';
import type { ImageBox, Size } from '../media/image-size.js';
import type { Profile } from '../models/profiles.js';
import type { PromptFile } from './prompt-files.js';
import { mediaBytes } from '../media/media-block.js';

/** A file with which its prompt cannot be sent. */
export interface UnfitFile {
  readonly file: PromptFile;
  /** Goes on after "it". */
  readonly reason: string;
}

/**
 * What each image of a prompt has to fit into, so that the model takes them all. Never larger than what is allowed among many images: a conversation gathers
 * them, and then a larger one would have to go. Documents stay as they are; those that no request of this model can hold do not fit.
 */
export function roomFor(files: readonly PromptFile[], profile: Profile): { readonly box: ImageBox; readonly unfit: readonly UnfitFile[] } {
  const unfit: UnfitFile[] = [];
  let left = mediaBytes(profile);
  let images = 0;
  let pages = 0;
  for (const file of files) {
    const { block } = file;
    if (block.type === 'image') images += 1;
    else if (isBlobSource(block.source)) {
      const { bytes } = block.source;
      pages += block.source.pages ?? 0;
      left -= base64Length(bytes);
      if (left < 0) unfit.push({ file, reason: `has ${bytes} bytes, which is more than fits into a request to ${profile.name} beside the rest` });
      else if (pages > profile.maxPdfPages) unfit.push({ file, reason: `makes it ${pages} pages; ${profile.name} takes ${profile.maxPdfPages}` });
    }
  }
  const { maxPixelsPerSide, manyImagePixels, maxBase64Bytes } = profile.image;
  const box = {
    pixelsPerSide: Math.min(profile.resolution.pixelsPerSide, maxPixelsPerSide, manyImagePixels),
    patches: profile.resolution.patches,
    base64Bytes: Math.min(maxBase64Bytes, Math.floor(Math.max(left, 0) / Math.max(images, 1))),
  };
  return { box, unfit };
}

export const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/** What the model is told of an image, so that it can speak of places in the original. */
export function imageNote(name: string, { width, height, original }: Size & { readonly original: Size }): string {
  if (width === original.width && height === original.height) return `${name}: ${width}x${height} pixels, shown as it is.`;
  const across = (original.width / width).toFixed(3);
  const down = (original.height / height).toFixed(3);
  return `${name}: the original has ${original.width}x${original.height} pixels and is shown at ${width}x${height}; to name a place in the original, multiply x by ${across} and y by ${down}.`;
}

/** Says which files it was, and why. The code is that of the first. */
export function refusalOf(unfit: readonly UnfitFile[]): Failure {
  const what = unfit.map(({ file, reason }) => `${file.name} ${reason}`).join('; ');
  const code = unfit[0]?.file.block.type === 'document' ? 'document_rejected' : 'image_rejected';
  return { code, message: `The prompt was not sent: ${what}. What was typed is kept; send it again with files that can be read, or without them.` };
}
