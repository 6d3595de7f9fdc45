export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Size limits of an image. */
export interface ImageBox {
  readonly pixelsPerSide: number;
  /** Maximum number of `PATCH_PIXELS`×`PATCH_PIXELS` patches; partial patches count as whole ones. */
  readonly patches: number;
  /** Maximum length of the base64 text. */
  readonly base64Bytes: number;
}

/** Side of a patch. Each patch is one token (docs: Vision). */
const PATCH_PIXELS = 28;

/** The largest size with the same aspect ratio within the limits, computed as the API does: 1920x1080 gives 1456x819 for 1568 pixels and 1568 patches. Never upscales. */
export function fittingSize({ width, height }: Size, { pixelsPerSide, patches }: Pick<ImageBox, 'pixelsPerSide' | 'patches'>): Size {
  const longest = Math.max(width, height);
  // Upper bound: a larger side exceeds the patch limit even without partial patches.
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
