/** By the decoder's name for it, the media type. */
export const FORMATS = { jpeg: 'image/jpeg', png: 'image/png', gif: 'image/gif', webp: 'image/webp' } as const;

export type ImageFormat = keyof typeof FORMATS;

export interface Attempt {
  readonly format: ImageFormat;
  /** Null where the format has none. */
  readonly quality: number | null;
  readonly scale: number;
}

/**
 * In which forms an image is tried until one is small enough: as it was, then with losses, then smaller. The formats without losses give way to one with
 * them, which keeps what is transparent.
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
