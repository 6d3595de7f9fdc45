import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Logger } from '@nestjs/common';
import type { Response } from 'express';

const CHUNK_CHARACTERS = 64 * 1024;

/** Sends texts as the body of a response. A client that disconnects is not an error, and there is no response left to send. */
export async function sendTexts(response: Response, texts: Iterable<string> | AsyncIterable<string>, log: Logger): Promise<void> {
  await pipeline(Readable.from(chunks(texts, log)), response).catch(() => {});
}

/** Chunks of at least CHUNK_CHARACTERS, produced at the pace of the client. A truncated file must not look complete, so an error is passed on and closes the connection. */
async function* chunks(texts: Iterable<string> | AsyncIterable<string>, log: Logger): AsyncGenerator<string> {
  let text = '';
  try {
    for await (const one of texts) {
      text += one;
      if (text.length < CHUNK_CHARACTERS) continue;
      yield text;
      text = '';
    }
  } catch (error) {
    log.error(error);
    throw error;
  }
  if (text !== '') yield text;
}
