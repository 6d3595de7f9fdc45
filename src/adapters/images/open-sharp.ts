type SharpModule = typeof import('sharp').default;

let opened: Promise<SharpModule> | undefined;

/** Loads the library when the first image comes: a process that sees none does without its memory. */
export function openSharp(): Promise<SharpModule> {
  opened ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false); // nobody asks for the same image twice
    sharp.concurrency(1); // several images at once use the cores; one alone need not
    // What strangers send is read by four decoders, and never as SVG, PDF, a camera's raw file or whatever else is built in.
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer', 'VipsForeignLoadNsgifBuffer'] });
    return sharp;
  });
  return opened;
}
