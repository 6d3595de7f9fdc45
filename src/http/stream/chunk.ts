import type { ServerResponse } from 'node:http';

/**
 * A part of a response body, encoded once with its chunk header (RFC 9112, section 7.1), so that it can be written to many responses as the same bytes.
 */
export class Chunk {
  readonly #bytes: Buffer;

  constructor(private readonly text: string) {
    this.#bytes = Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }

  /** The head of the response must have been written. */
  writeTo(response: ServerResponse): void {
    const { socket } = response;
    // Without a socket: the response waits for an earlier one of its connection, and Node buffers it. An HTTP/1.0 response has no chunks.
    if (socket !== null && response.headersSent && response.chunkedEncoding) socket.write(this.#bytes);
    else response.write(this.text);
  }
}
