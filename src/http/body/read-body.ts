import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../../packages/protocol/errors.js';

/**
 * The whole body; rejects with `payload_too_large` as soon as the limit is exceeded. The rest is then discarded while the response goes out, so that a client
 * that reads only after it has written gets the response. The connection is closed when the client does not stop.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    let bytes: Buffer = Buffer.alloc(0);
    let received = 0;
    const rejectTooLarge = (): void => {
      stop();
      discard(request, maxBytes * 4);
      reject(new DomainError('payload_too_large', `The body exceeds the limit of ${maxBytes} bytes.`, [], { limit: maxBytes }));
    };
    const onData = (chunk: Buffer): void => {
      if (received + chunk.length > maxBytes) return rejectTooLarge();
      if (received + chunk.length > bytes.length) bytes = grown(bytes, received, received + chunk.length, announced);
      chunk.copy(bytes, received);
      received += chunk.length;
    };
    const onEnd = (): void => {
      stop();
      resolve(bytes.subarray(0, received));
    };
    const onClose = (): void => {
      stop();
      reject(new DomainError('invalid_input', 'The request body ended before it was complete.'));
    };
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose);
    };
    if (announced > maxBytes) {
      rejectTooLarge();
      return;
    }
    request.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose);
  });
}

/**
 * Grows by a factor, because copying each chunk as it arrives does not block the event loop and concatenating 30 MB at the end does. The factor is larger while
 * Content-Length announces more, but memory is never allocated for the announcement alone.
 */
function grown(bytes: Buffer, filled: number, least: number, announced: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(least, announced > bytes.length ? Math.min(announced, 8 * bytes.length) : 2 * bytes.length));
  bytes.copy(larger, 0, 0, filled);
  return larger;
}

/** Discards the rest of a body. The connection is destroyed after `maxBytes` of it. */
export function discard(request: IncomingMessage, maxBytes: number): void {
  let discarded = 0;
  request.on('error', () => {});
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > maxBytes) request.destroy();
  });
}
