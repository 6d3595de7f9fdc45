import { describe, expect, it } from '@jest/globals';
import type { TraceEntry } from './payload.js';
import { rejectedPart } from './provider-rejection.js';

const trace: readonly TraceEntry[] = [
  { source: { uuid: 'a', index: 0 }, action: 'dropped', pass: 'p', reason: 'r', target: null },
  { source: { uuid: 'b', index: 3 }, action: 'kept', pass: 'none', reason: 'r', target: { message: 2, block: 1 } },
  { source: null, action: 'added', pass: 'p', reason: 'r', target: { message: 4, block: 0 } },
];

describe('what a refusal objects to', () => {
  it.each([
    [400, 'messages.2.content.1.image.source.base64: The image was specified using…', { type: 'block_rejected', blockUuid: 'b', index: 3 }],
    [400, 'messages.2.content.1: Could not process this block', { type: 'block_rejected', blockUuid: 'b', index: 3 }],
    [400, 'messages.4.content.0: something about what we made up', null],
    [400, 'messages.9.content.0.pdf.source.base64.data: The PDF specified was not valid.', 'pdf_invalid'],
    [400, 'The PDF specified is password protected.', 'pdf_password_protected'],
    [400, 'A maximum of 100 PDF pages may be provided.', 'pdf_too_large'],
    [400, 'image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes', 'image_too_large'],
    [413, 'Request exceeds the maximum size', 'request_too_large'],
    [400, 'prompt is too long: 213462 tokens > 200000 maximum', null],
    [429, 'messages.2.content.1: not a refusal of content', null],
    [null, 'messages.2.content.1', null],
  ])('%s %s', (status, text, expected) => {
    expect(rejectedPart(status, text, trace)).toEqual(expected);
  });
});
