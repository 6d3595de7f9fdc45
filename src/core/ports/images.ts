import type { ImageBox } from '../view/image-size.js';

export interface FittedImage {
  readonly mediaType: string;
  /** Pixels, as it stands upright. */
  readonly width: number;
  readonly height: number;
  /** The same of what it was made from. */
  readonly original: { readonly width: number; readonly height: number };
  /** Null: the given bytes will do as they are. */
  readonly content: Uint8Array | null;
}

/** What is wrong with the image itself, and stays wrong however often one tries. */
export class UnusableImage extends Error {
  override readonly name = 'UnusableImage';

  constructor(
    /** Goes on after "it": `cannot be decoded`. */
    readonly reason: string,
  ) {
    super(`The image ${reason}.`);
  }
}

/** Decodes pictures, which strangers may have made, and makes them small enough. */
export abstract class Images {
  /**
   * Only so many at a time; `load` is called when it is this one's turn. Settles in bounded time. Rejects with UnusableImage, with what `load` rejects
   * with, or with the reason of `signal`.
   */
  abstract fit(load: () => Promise<Uint8Array>, box: ImageBox, signal: AbortSignal): Promise<FittedImage>;
}
