/** Media types by the decoder's name of the format. */
export const FORMATS = { jpeg: 'image/jpeg', png: 'image/png', gif: 'image/gif', webp: 'image/webp' } as const;

export type ImageFormat = keyof typeof FORMATS;

export interface Attempt {
  readonly format: ImageFormat;
  /** Null for lossless formats. */
  readonly quality: number | null;
  readonly scale: number;
}

/**
 * The encodings that are tried until the image is small enough: its own format, then lossy, then smaller. Lossless formats are replaced by a lossy one that keeps
 * transparency.
 */
export function attempts(format: ImageFormat, hasAlpha: boolean): readonly Attempt[] {
  const lossy: ImageFormat = format === 'jpeg' || format === 'webp' ? format : hasAlpha ? 'webp' : 'jpeg';
  const first: Attempt = { format, quality: format === lossy ? 80 : null, scale: 1 };
  const others = [
    [80, 1],
    [60, 1],
    [60, 0.7],
    [50, 0.5],
    [40, 0.25],
  ] as const;
  return [first, ...others.map(([quality, scale]): Attempt => ({ format: lossy, quality, scale }))];
}
