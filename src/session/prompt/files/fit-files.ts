import { isBlobSource } from '../../../../packages/protocol/message/content.js';
import type { Failure } from '../../../../packages/protocol/events/events.js';
import type { ImageBox, Size } from '../../../../packages/normalizer/media/image-size.js';
import type { Profile } from '../../../../packages/normalizer/models/profiles.js';
import type { PromptFile } from './prompt-files.js';
import { mediaBytes } from '../../../../packages/normalizer/media/media-block.js';

/** A file that prevents its prompt from being sent. */
export interface UnfitFile {
  readonly file: PromptFile;
  /** Completes a sentence that begins with the file's name. */
  readonly reason: string;
}

/**
 * The size limit for each image of a prompt. It is never above the limit for requests with many images, because a conversation collects images and larger ones would
 * have to be removed later. Documents cannot be reduced: those that no request to this model can hold are unfit.
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
      if (left < 0) unfit.push({ file, reason: `has ${bytes} bytes, more than a request to ${profile.name} can hold` });
      else if (pages > profile.maxPdfPages) unfit.push({ file, reason: `brings the prompt to ${pages} pages; ${profile.name} accepts ${profile.maxPdfPages}` });
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

/** Length of `bytes` bytes as base64 text. */
export const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/** One line for the model with the size of an image, to convert coordinates to the original. */
export function imageNote(name: string, { width, height, original }: Size & { readonly original: Size }): string {
  if (width === original.width && height === original.height) return `${name}: ${width}x${height} pixels, shown at full size.`;
  const across = (original.width / width).toFixed(3);
  const down = (original.height / height).toFixed(3);
  return `${name}: the original has ${original.width}x${original.height} pixels and is shown at ${width}x${height}; for coordinates in the original multiply x by ${across} and y by ${down}.`;
}

/** The failure of a prompt with unfit files. The code is that of the first file. */
export function unfitFailure(unfit: readonly UnfitFile[]): Failure {
  const what = unfit.map(({ file, reason }) => `${file.name} ${reason}`).join('; ');
  const code = unfit[0]?.file.block.type === 'document' ? 'document_rejected' : 'image_rejected';
  return { code, message: `The prompt was not sent: ${what}. Its text is kept; send it again with valid files, or without them.` };
}
