type SharpModule = typeof import('sharp').default;

let opened: Promise<SharpModule> | undefined;

/** Loads the library on first use: a process without images does not need its memory. */
export function openSharp(): Promise<SharpModule> {
  opened ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false); // no image is decoded twice
    sharp.concurrency(1); // concurrent images use the cores
    // Untrusted files reach four decoders only, not those for SVG, PDF or raw camera files.
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer', 'VipsForeignLoadNsgifBuffer'] });
    return sharp;
  });
  return opened;
}
