import type { Blobs } from '../../ports/index.js';
import type { PayloadInput } from '../../../packages/normalizer/build-payload.js';
import { EmbeddedMessages } from '../../../packages/normalizer/embedded-messages.js';

/** The session whose blobs are read. */
export interface BytesOf {
  readonly tenantId: string;
  readonly sessionId: string;
}

/**
 * Builds payload inputs with images and documents inline; stored messages refer to them by hash. `make` is called until all its blobs are loaded; `use` is
 * then called synchronously with the same input, blobs inlined, so that what `make` has read of the mutable session state is still valid. `embedded` caches
 * inlined blobs between calls. Throws MissingBlob when a blob is not stored.
 */
export class InlineBlobs {
  constructor(private readonly blobs: Blobs) {}

  async with<T>(
    of: BytesOf,
    make: () => PayloadInput,
    use: (input: PayloadInput, named: PayloadInput) => T,
    embedded = new EmbeddedMessages(),
  ): Promise<Awaited<T>> {
    for (;;) {
      const named = make();
      const missing = embedded.missing(named.messages);
      if (missing.length === 0) {
        const messages = embedded.of(named.messages);
        return await use(messages === named.messages ? named : { ...named, messages }, named);
      }
      const blobs = await this.blobs.get(of.tenantId, of.sessionId, missing);
      const texts = new Map([...blobs].map(([sha256, { content }]) => [sha256, base64(content)]));
      embedded.add(named.messages, (sha256) => texts.get(sha256));
    }
  }
}

export function base64(content: Uint8Array): string {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64');
}
