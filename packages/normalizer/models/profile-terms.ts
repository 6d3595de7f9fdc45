export type Provider = 'anthropic' | 'bedrock' | 'vertex' | 'foundry';
export type { Effort, ThinkingMode } from '../../protocol/message/model-options.js';

/** Maximum length of the longest side in pixels, and maximum number of 28×28 pixel patches. */
export interface Resolution {
  readonly pixelsPerSide: number;
  readonly patches: number;
}

/** Limits on images. Pixels are per side; bytes are those of the base64 text. */
export interface ImageLimits {
  readonly maxBase64Bytes: number;
  readonly maxPixelsPerSide: number;
  /** In requests with more images than this, each side is limited to `manyImagePixels`. */
  readonly manyImageThreshold: number;
  readonly manyImagePixels: number;
  /** Whether documents count towards `manyImageThreshold`. */
  readonly manyImageCountsDocuments: boolean;
  /** Images and documents together in one request. */
  readonly maxCount: number;
}
