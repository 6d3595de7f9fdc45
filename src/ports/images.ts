import type { ImageBox, Size } from '../../packages/normalizer/media/image-size.js';

/** An image among the session's blobs. */
export interface StoredImage {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly sha256: string;
}

/** A blob of the same session; the original one when it already fits. */
export interface FittedImage extends Size {
  readonly sha256: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Size of the original, after orientation. */
  readonly original: Size;
}

/** The image itself is unusable; a retry cannot help. */
export class UnusableImage extends Error {
  override readonly name = 'UnusableImage';

  constructor(
    /** Completes a sentence that begins with the image's name: `cannot be decoded`. */
    readonly reason: string,
  ) {
    super(`The image ${reason}.`);
  }
}

/** Decodes untrusted images and scales them down. */
export abstract class Images {
  /** Bounded in concurrency and time. Rejects with UnusableImage, or with the reason of `signal`. */
  abstract fit(image: StoredImage, box: ImageBox, signal: AbortSignal): Promise<FittedImage>;
}
