import type { ImageBox, Size } from '../media/image-size.js';

/** An image among the session's blobs. */
export interface StoredImage {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly sha256: string;
}

/** A blob of the same session: the one that was asked about when it will do as it is. */
export interface FittedImage extends Size {
  readonly sha256: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** The size, upright, of what it was made from. */
  readonly original: Size;
}

/** What is wrong with the image itself, and stays wrong however often one tries. */
export class UnusableImage extends Error {
  override readonly name = 'UnusableImage';

  constructor(
    /** Goes on after the image's name: `cannot be decoded`. */
    readonly reason: string,
  ) {
    super(`The image ${reason}.`);
  }
}

/** Decodes pictures, which strangers may have made, and makes them small enough. */
export abstract class Images {
  /** Only so many at a time, each in bounded time. Rejects with UnusableImage, or with the reason of `signal`. */
  abstract fit(image: StoredImage, box: ImageBox, signal: AbortSignal): Promise<FittedImage>;
}
