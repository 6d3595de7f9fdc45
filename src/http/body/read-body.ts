import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../core/errors.js';

/**
 * The whole body, or a refusal as soon as it is known to be too large; then the answer goes out at once and the rest is thrown away, so that a client
 * that writes first and reads later gets to read it. One that will not stop is cut off.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    let bytes: Buffer = Buffer.alloc(0);
    let received = 0;
    const refuse = (): void => {
      stop();
      discard(request, maxBytes * 4);
      reject(new DomainError('payload_too_large', `The body exceeds the limit of ${maxBytes} bytes.`, [], { limit: maxBytes }));
    };
    const onData = (chunk: Buffer): void => {
      if (received + chunk.length > maxBytes) return refuse();
      if (received + chunk.length > bytes.length) bytes = roomier(bytes, received, received + chunk.length, announced);
      chunk.copy(bytes, received);
      received += chunk.length;
    };
    const onEnd = (): void => {
      stop();
      resolve(bytes.subarray(0, received));
    };
    const onGone = (): void => {
      stop();
      reject(new DomainError('invalid_input', 'The body broke off.'));
    };
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    };
    if (announced > maxBytes) {
      refuse();
      return;
    }
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

/**
 * Larger by a factor each time: copying as it comes holds nobody up, putting 30 MB together at the end would. By a larger one as long as more is announced, so
 * that little is left behind; but never at once for what is only announced.
 */
function roomier(bytes: Buffer, filled: number, least: number, announced: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(least, announced > bytes.length ? Math.min(announced, 8 * bytes.length) : 2 * bytes.length));
  bytes.copy(larger, 0, 0, filled);
  return larger;
}

/** Lets the rest of a body go by unread. A client that sends more than `patienceBytes` of it is cut off. */
export function discard(request: IncomingMessage, patienceBytes: number): void {
  let discarded = 0;
  request.on('error', () => {});
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > patienceBytes) request.destroy();
  });
}
