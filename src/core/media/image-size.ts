export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What a picture has to fit into. */
export interface ImageBox {
  readonly pixelsPerSide: number;
  /** Squares of `PATCH_PIXELS` a side that it may cover, the last ones of a row and a column counting whole. */
  readonly patches: number;
  /** Of its bytes as base64 text. */
  readonly base64Bytes: number;
}

/** The model sees a picture in squares of this side, each of which is a token (docs: Vision). */
const PATCH_PIXELS = 28;

/** The largest size of the same shape that fits, as the API would choose it: 1920x1080 gives 1456x819 in a box of 1568 pixels and patches. Never larger than it is. */
export function fittingSize({ width, height }: Size, { pixelsPerSide, patches }: Pick<ImageBox, 'pixelsPerSide' | 'patches'>): Size {
  const longest = Math.max(width, height);
  // Sizes that are larger by more than a patch cover too many, even if all of them were whole.
  const byArea = Math.ceil(longest * Math.sqrt((patches * PATCH_PIXELS * PATCH_PIXELS) / (width * height))) + PATCH_PIXELS;
  for (let side = Math.min(longest, pixelsPerSide, byArea); side > 1; side -= 1) {
    const size = scaled({ width, height }, side / longest);
    if (patchesOf(size) <= patches) return size;
  }
  return { width: 1, height: 1 };
}

export function scaled({ width, height }: Size, scale: number): Size {
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

export const patchesOf = ({ width, height }: Size): number => Math.ceil(width / PATCH_PIXELS) * Math.ceil(height / PATCH_PIXELS);
