import { DomainError } from '../../core/errors.js';
import { type FittedImage, type ComputePool, Images, type StoredImage, UnusableImage } from '../../core/ports.js';
import type { ImageBox } from '../../core/media/image-size.js';

/** What the process for images answers. */
export type ImageAnswer = { readonly fitted: FittedImage } | { readonly unusable: string };

/** Has images decoded in processes of their own: a decoder that crashes, hangs or needs all the memory there is takes nothing with it but that one image. */
export class ImageProcessPool extends Images {
  constructor(private readonly work: ComputePool) {
    super();
  }

  override async fit(image: StoredImage, box: ImageBox, signal: AbortSignal): Promise<FittedImage> {
    const { json } = await abortable(this.work.run({ kind: 'fit', image, box }), signal).catch((error: unknown) => {
      throw verdictOn(error);
    });
    const answer = JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString()) as ImageAnswer;
    if ('unusable' in answer) throw new UnusableImage(answer.unusable);
    return answer.fitted;
  }
}

/** A process that had to be ended, or ended itself, did so over this image; that there was none to be had says nothing about it. */
function verdictOn(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  if (error.code === 'payload_too_large') return new UnusableImage('needs more memory to decode than one image may take');
  if ('signal' in error.details) return new UnusableImage('cannot be decoded: the decoder breaks down over it');
  return 'limit' in error.details ? new UnusableImage('takes too long to decode') : error;
}

/** Does not wait longer than the signal lets it; the work goes on to its end. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
