import { describe, expect, it } from '@jest/globals';
import { assistant, call, conversation, image, result, text, user, uuidAt, view } from '../../test/support/normalize/build.js';
import type { TraceEntry } from '../protocol/request/trace-entry.js';
import { rejectedParts } from './provider-rejection.js';

const trace: readonly TraceEntry[] = [
  { source: { uuid: 'a', index: 0 }, action: 'dropped', pass: 'p', reason: 'r', target: null },
  { source: { uuid: 'b', index: 3 }, action: 'kept', pass: 'none', reason: 'r', target: { message: 2, block: 1 } },
  { source: null, action: 'added', pass: 'p', reason: 'r', target: { message: 4, block: 0 } },
];

describe('the part that a provider error is about', () => {
  it.each([
    [400, 'messages.2.content.1.image.source.base64: The image was specified using…', { type: 'block_rejected', blockUuid: 'b', index: 3 }],
    [400, 'messages.2.content.1: Could not process this block', { type: 'block_rejected', blockUuid: 'b', index: 3 }],
    [400, 'messages.4.content.0: something about an added block', null],
    [400, 'messages.9.content.0.pdf.source.base64.data: The PDF specified was not valid.', 'pdf_invalid'],
    [400, 'The PDF specified is password protected.', 'pdf_password_protected'],
    [400, 'A maximum of 100 PDF pages may be provided.', 'pdf_too_large'],
    [400, 'image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes', 'image_too_large'],
    [413, 'Request exceeds the maximum size', 'request_too_large'],
    [400, 'prompt is too long: 213462 tokens > 200000 maximum', null],
    [429, 'messages.2.content.1: not an error of content', null],
    [null, 'messages.2.content.1', null],
  ])('%s %s', (status, message, expected) => {
    const { payload } = view([]);
    expect(rejectedParts({ status, message }, { payload, trace }, [])).toEqual(expected === null ? [] : [expected]);
  });

  it('is a single block of a tool result, by its stored position', () => {
    // The blank text is not sent, so the image is the first block of the sent result and the second of the stored one.
    const messages = conversation(user('p'), assistant('m', [call('x')]), user([result('x', [text(' '), image(), text('after')])]));
    const rejected = rejectedParts(
      { status: 400, message: 'messages.2.content.0.tool_result.content.0.image.source.base64.data: bad' },
      view(messages),
      messages,
    );
    expect(rejected).toEqual([{ type: 'block_rejected', blockUuid: uuidAt(2), index: 0, inner: 1 }]);
  });

  it('is every block that the details name, whatever the message says', () => {
    const messages = conversation(user([text('p'), image(), image()]), assistant('m', [call('x')]), user([result('x', [text(' '), image()])]));
    const paths = ['messages.0.content.1', 'messages.0.content.2', 'messages.2.content.0.content.0'];
    const details = { errorCode: 'image_dimensions_too_large', paths };
    expect(rejectedParts({ status: 400, message: 'Scale the images', details }, view(messages), messages)).toEqual([
      { type: 'block_rejected', blockUuid: uuidAt(0), index: 1 },
      { type: 'block_rejected', blockUuid: uuidAt(0), index: 2 },
      { type: 'block_rejected', blockUuid: uuidAt(2), index: 0, inner: 1 },
    ]);
  });

  it('is nothing when the code says that the request or the account is the cause', () => {
    const details = { errorCode: 'thread_fingerprint_mismatch' };
    expect(rejectedParts({ status: 400, message: 'messages.2.content.1: differs', details }, { payload: view([]).payload, trace })).toEqual([]);
  });
});
