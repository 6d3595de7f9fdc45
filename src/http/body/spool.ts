import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DomainError } from '../../../packages/protocol/errors.js';
import { discard } from './read-body.js';

/** A body in an unlinked file: its disk space is freed when it is closed or when the process ends. */
export interface Spool {
  readonly handle: FileHandle;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string;
}

/** Writes a body to disk with backpressure. Rejects a body larger than `maxBytes`, and an incomplete one. */
export async function spool(request: IncomingMessage, maxBytes: number): Promise<Spool> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(request, maxBytes);
  const file = path.join(tmpdir(), `verbatim-import-${randomUUID()}`);
  const handle = await open(file, 'wx+', 0o600);
  try {
    await rm(file);
    return { handle, sha256: await fill(handle, request, maxBytes) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function fill(handle: FileHandle, request: IncomingMessage, maxBytes: number): Promise<string> {
  const hash = createHash('sha256');
  let received = 0;
  for await (const chunk of chunksOf(request)) {
    received += chunk.length;
    if (received > maxBytes) throw tooLarge(request, maxBytes);
    hash.update(chunk);
    for (let written = 0; written < chunk.length;) written += (await handle.write(chunk, written)).bytesWritten;
  }
  return hash.digest('hex');
}

/** Does not destroy the request after reading: the response uses the same connection. */
async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch {
    throw new DomainError('invalid_input', 'The request body ended before it was complete.');
  }
}

function tooLarge(request: IncomingMessage, maxBytes: number): DomainError {
  discard(request, maxBytes * 4);
  return new DomainError('payload_too_large', `The file exceeds the limit of ${maxBytes} bytes.`, [], { limit: maxBytes });
}
