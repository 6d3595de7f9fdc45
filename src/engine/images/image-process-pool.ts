import { abortable } from '../../platform/async/abortable.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type FittedImage, type ComputePool, Images, type StoredImage, UnusableImage } from '../../ports/index.js';
import type { ImageBox } from '../../../packages/normalizer/media/image-size.js';

/** The answer of an image process. */
export type ImageAnswer = { readonly fitted: FittedImage } | { readonly unusable: string };

/** Decodes images in separate processes, so that a decoder that crashes, hangs or exhausts memory affects that image only. */
export class ImageProcessPool extends Images {
  constructor(private readonly work: ComputePool) {
    super();
  }

  override async fit(image: StoredImage, box: ImageBox, signal: AbortSignal): Promise<FittedImage> {
    signal.throwIfAborted();
    const { json } = await abortable(this.work.run({ kind: 'fit', image, box }), signal).catch((error: unknown) => {
      throw causeOf(error);
    });
    const answer = JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString()) as ImageAnswer;
    if ('unusable' in answer) throw new UnusableImage(answer.unusable);
    return answer.fitted;
  }
}

/** A process that crashed or was killed did so because of this image; a pool without capacity says nothing about the image. */
function causeOf(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  if (error.code === 'payload_too_large') return new UnusableImage('needs more memory to decode than the limit for one image');
  if ('signal' in error.details) return new UnusableImage('cannot be decoded: it crashes the decoder');
  return 'limit' in error.details ? new UnusableImage('takes too long to decode') : error;
}
