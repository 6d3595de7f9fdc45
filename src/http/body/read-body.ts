import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../core/errors.js';

/**
 * The whole body, or a refusal as soon as it is known to be too large; then the answer goes out at once and the rest is thrown away, so that a client
 * that writes first and reads later gets to read it. One that will not stop is cut off.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    const chunks: Buffer[] = [];
    let received = 0;
    const refuse = (): void => {
      stop();
      discard(request, maxBytes * 4);
      reject(new Refusal('payload_too_large', `The body exceeds the limit of ${maxBytes} bytes.`, [], { limit: maxBytes }));
    };
    const onData = (chunk: Buffer): void => {
      received += chunk.length;
      if (received > maxBytes) refuse();
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      resolve(Buffer.concat(chunks));
    };
    const onGone = (): void => {
      stop();
      reject(new Refusal('invalid_input', 'The body broke off.'));
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

/** Lets the rest of a body go by unread. A client that sends more than `patienceBytes` of it is cut off. */
export function discard(request: IncomingMessage, patienceBytes: number): void {
  let discarded = 0;
  request.on('error', () => {});
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > patienceBytes) request.destroy();
  });
}
