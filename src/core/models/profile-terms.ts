export type Provider = 'anthropic' | 'bedrock' | 'vertex';
export type ThinkingMode = 'enabled' | 'adaptive' | 'between_tools' | 'disabled';
export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Longest side in pixels, and how many squares of 28 pixels a side. */
export interface Resolution {
  readonly pixelsPerSide: number;
  readonly patches: number;
}

/** Limits on images; pixels are per side, bytes are those of the base64 text. */
export interface ImageLimits {
  readonly maxBase64Bytes: number;
  readonly maxPixelsPerSide: number;
  /** Above this many images in one request each side is held to `manyImagePixels`. */
  readonly manyImageThreshold: number;
  readonly manyImagePixels: number;
  /** Whether documents count towards `manyImageThreshold`. */
  readonly manyImageCountsDocuments: boolean;
  /** Images and documents together in one request. */
  readonly maxCount: number;
}
