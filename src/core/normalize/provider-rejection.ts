import type { ApiError } from '../message/message.js';
import type { BuiltPayload } from './build-payload.js';

/** Error texts that name a fault of a file without naming the file (docs: Errors; PDF support; Vision). */
const FILE_TEXTS: readonly (readonly [text: RegExp, error: ApiError])[] = [
  [/password protected/i, 'pdf_password_protected'],
  [/PDF specified was not valid|PDF cannot be empty/i, 'pdf_invalid'],
  [/maximum of \d+ PDF pages/i, 'pdf_too_large'],
  [/image exceeds|image dimensions exceed/i, 'image_too_large'],
];

const PLACE = /\bmessages\.(\d+)\.content\.(\d+)/;

/**
 * The part of the conversation that a provider error (status and text) is about: the stored block at the position named in the text, or a kind of file.
 * Null when the error names nothing in the conversation, so that leaving something out would be a guess.
 */
export function rejectedPart(status: number | null, text: string, trace: BuiltPayload['trace']): ApiError | null {
  if (status === 413) return 'request_too_large';
  if (status !== 400) return null;
  const [, message, block] = PLACE.exec(text) ?? [];
  if (message !== undefined) {
    const found = trace.find(({ source, target }) => source && target?.message === Number(message) && target.block === Number(block));
    if (found?.source) return { type: 'block_rejected', blockUuid: found.source.uuid, index: found.source.index };
  }
  return FILE_TEXTS.find(([known]) => known.test(text))?.[1] ?? null;
}
