import type { Blobs } from '../core/ports.js';
import type { PayloadInput } from '../core/normalize/build-payload.js';
import { EmbeddedMessages } from '../core/normalize/embedded-messages.js';

/** Whose bytes. */
export interface BytesOf {
  readonly tenantId: string;
  readonly sessionId: string;
}

/**
 * Everything that is made of a session's payload goes through here: messages only name their images and documents, and what is sent holds the bytes. `make` is
 * asked, as often as it takes, for what the payload is a function of, and `use` is called with the same, bytes in place, in the same breath: what `make` has
 * read of a session's state is still true then. `embedded` keeps what was put in for the next time. Throws MissingBlob when bytes are lost.
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
