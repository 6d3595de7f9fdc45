import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pdfFile } from '../../../../test/support/api-rules/pdf-file.js';
import { png } from '../../../../test/support/api-rules/row.js';
import type { DomainError } from '../../../../packages/protocol/errors.js';
import type { BlobSource, Content, ContentBlock } from '../../../../packages/protocol/message/content.js';
import { base64Bytes } from '../../../../packages/normalizer/media/base64.js';
import { profileFor } from '../../../../packages/normalizer/models/profiles.js';
import { acceptSubmission } from '../accept.js';
import { promptMessage } from '../construct.js';
import { imageNote, unfitFailure, roomFor } from './fit-files.js';
import { givenFiles, withStoredFiles } from './given-files.js';
import { type FileLimits, inspectFile } from './inspect-file.js';
import { preparePrompt } from '../prepare.js';
import { filesOf } from './prompt-files.js';
import type { PastedContent, Submission } from '../../../../packages/protocol/message/submission.js';

const LIMITS: FileLimits = { maxImages: 3, maxImageBytes: 1_000, maxImagePixels: 10_000, maxDocuments: 1, maxDocumentBytes: 2_000, maxDocumentPages: 5 };
const base64 = (data: string): ContentBlock => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } });
const document = (source: object): ContentBlock => ({ type: 'document', source }) as ContentBlock;
const pasted = (content: string, more: Partial<PastedContent> = {}): PastedContent => ({ type: 'image', content, ...more });
const blob = (sha256: string, more: Partial<BlobSource> = {}): BlobSource => ({
  type: 'blob',
  media_type: 'image/png',
  sha256,
  bytes: 30,
  width: 9,
  height: 7,
  ...more,
});

function rejection(work: () => unknown): DomainError {
  try {
    work();
  } catch (error) {
    return error as DomainError;
  }
  throw new Error('nothing was rejected');
}

/** A submission as it is stored, the n-th file under the name `n`. */
function stored(input: Content, pastedContents?: Readonly<Record<string, PastedContent>>): Submission {
  const given = { mode: 'prompt' as const, input, ...(pastedContents ? { pastedContents } : {}) };
  const kept = new Map(givenFiles(given, LIMITS).map((file, index) => [file, blob(String(index))]));
  return withStoredFiles(acceptSubmission(given, { promptId: 'p', turnId: 't', uuid: 'u' }, { maxCharacters: 1_000 }), given, kept);
}

describe('the files of a prompt', () => {
  it('are found in the input and among what was pasted, as long as the text names it', () => {
    const input = [{ type: 'text' as const, text: 'see [Image #2] [Image #7] [Image #2]' }, base64('AAAA')];
    const files = givenFiles({ input, pastedContents: { '1': pasted('BBBB'), '2': pasted('CCCC') } }, LIMITS);
    expect(files.map(({ pointer, bytes }) => [pointer, bytes])).toEqual([
      ['/input/1/source/data', { base64: 'AAAA' }],
      ['/pastedContents/2/content', { base64: 'CCCC' }],
    ]);
  });

  it('may lie elsewhere, where the model API gets them', () => {
    const sources = [
      { type: 'url', url: 'https://example.com/a.pdf' },
      { type: 'file', file_id: 'file_1' },
      { type: 'text', media_type: 'text/plain', data: 'words' },
      { type: 'content', content: 'words' },
    ];
    expect(givenFiles({ input: sources.map(document) }, LIMITS)).toEqual([]);
  });

  it.each([
    [[{ type: 'tool_result', tool_use_id: 'a' }], '/input/0'],
    [[{ type: 'image' }], '/input/0/source'],
    [[{ type: 'image', source: 'AAAA' }], '/input/0/source'],
    [[{ type: 'image', source: { type: 'base64' } }], '/input/0/source'],
    [[{ type: 'image', source: { type: 'url', url: 'file:///etc/passwd' } }], '/input/0/source'],
    [[{ type: 'image', source: { type: 'text', data: 'x' } }], '/input/0/source'],
    [[{ type: 'image', source: { type: 'blob' } }], '/input/0/source'],
    [
      [
        { type: 'text', text: 'a' },
        { type: 'document', source: { type: 'content', content: [base64('AAAA')] } },
      ],
      '/input/1/source',
    ],
  ])('are rejected where they cannot be used: %j', (input, pointer) => {
    expect(rejection(() => givenFiles({ input: input as unknown as Content }, LIMITS))).toMatchObject({ code: 'unsupported_input', faults: [{ pointer }] });
  });

  it('are counted, each kind for itself', () => {
    const images = (count: number): Content => Array.from({ length: count }, () => base64('AAAA'));
    expect(givenFiles({ input: images(3) }, LIMITS)).toHaveLength(3);
    expect(rejection(() => givenFiles({ input: images(4) }, LIMITS))).toMatchObject({ code: 'image_rejected', faults: [{ pointer: '/input/3/source/data' }] });
    const documents = Array.from({ length: 2 }, () => document({ type: 'base64', data: 'AAAA' }));
    expect(rejection(() => givenFiles({ input: documents }, LIMITS))).toMatchObject({
      code: 'document_rejected',
      faults: [{ pointer: '/input/1/source/data' }],
    });
  });

  it('are stored under names, and everything else as it was', () => {
    const input = [base64('AAAA'), { type: 'text' as const, text: 'see  [Image #2]' }];
    const submission = stored(input, {
      '1': pasted('BBBB'),
      '2': pasted('CCCC', { filename: 'a.png', mediaType: 'image/png' }),
      '3': { type: 'text', content: 'words' },
    });
    expect(submission).toMatchObject({ value: [{ type: 'text', text: 'see  [Image #2]' }], original: [{ type: 'image', source: blob('0') }, input[1]] });
    expect(submission.pastedContents).toEqual({ '2': { type: 'image', source: blob('1'), filename: 'a.png' }, '3': { type: 'text', content: 'words' } });
    expect(JSON.stringify(submission)).not.toMatch(/AAAA|BBBB|CCCC/);
  });

  it('keep their place in the input; pasted images follow, with their numbers', () => {
    const input = [{ type: 'text' as const, text: 'this [Image #2]' }, base64('AAAA'), { type: 'text' as const, text: 'or this' }, base64('BBBB')];
    const submission = stored(input, { '2': pasted('C') });
    const expected = (names: readonly string[]) => ({
      content: [
        { type: 'text', text: 'this [Image #2]' },
        { type: 'image', source: { sha256: names[0] } },
        { type: 'text', text: 'or this' },
        { type: 'image', source: { sha256: names[1] } },
        { type: 'image', source: { sha256: names[2] } },
      ],
      imagePasteIds: [2],
    });
    expect(promptMessage(submission, 'default', 'now')).toMatchObject(expected(['0', '1', '2']));
    const fitted = ['a', 'b', 'c'].map((name): ContentBlock => ({ type: 'image', source: blob(name) }));
    expect(promptMessage(submission, 'default', 'now', fitted)).toMatchObject(expected(['a', 'b', 'c']));
  });

  it('have names of one line', () => {
    const names = filesOf(
      stored([base64('A'), { type: 'text', text: '[Image #1][Image #2]' }], {
        '1': pasted('B', { sourcePath: '/a\nb\u2028c.png', filename: 'x' }),
        '2': pasted('C', { filename: ' ' }),
      }),
    );
    expect(names.map(({ name }) => name)).toEqual(['image 1 of the prompt', '[Image #1] (/a b c.png)', '[Image #2]']);
  });
});

describe('a first look', () => {
  const look = (kind: 'image' | 'document', data: string) => inspectFile(kind, base64Bytes(data)!, LIMITS);
  const latin1 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

  it('tells the kind by the bytes', () => {
    expect(look('image', png(90, 80))).toEqual({ media_type: 'image/png', width: 90, height: 80 });
    expect(look('document', latin1(pdfFile({ pages: 3 })))).toEqual({ media_type: 'application/pdf', pages: 3 });
    expect(look('document', latin1(pdfFile({ compressed: true })))).toEqual({ media_type: 'application/pdf' });
  });

  it.each<['image' | 'document', string, RegExp]>([
    ['image', '', /empty/],
    ['image', latin1('<svg xmlns="http://www.w3.org/2000/svg"/>'), /not a JPEG, PNG, GIF or WebP image/],
    ['image', latin1(pdfFile()), /not a JPEG/],
    ['image', png(0, 5), /not a JPEG/],
    ['image', png(101, 100), /101x100 pixels; the limit is 10000/],
    ['image', Buffer.alloc(1_001).toString('base64'), /1001 bytes; the limit is 1000/],
    ['document', png(9, 9), /not a PDF/],
    ['document', latin1(pdfFile({ encrypted: true })), /password/],
    ['document', latin1(pdfFile({ pages: 6 })), /6 pages; the limit is 5/],
    ['document', latin1(pdfFile({ pages: 0 })), /no pages/],
    ['document', latin1(pdfFile({ padding: 2_000 })), /bytes; the limit is 2000/],
  ])('says what is wrong with an %s, case %#', (kind, data, reason) => {
    expect(look(kind, data)).toMatch(reason);
  });

  it('says something of any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom('image' as const, 'document' as const), (bytes, kind) => {
        const found = look(kind, Buffer.from(bytes).toString('base64'));
        expect(typeof found === 'string' || found.media_type !== '').toBe(true);
      }),
    );
  });
});

describe('the room for files in a request', () => {
  const images = (count: number) => filesOf(stored(Array.from({ length: count }, () => base64('A'))));
  const pdf = (bytes: number, pages?: number) =>
    filesOf({
      promptId: 'p',
      turnId: 't',
      uuid: 'u',
      mode: 'prompt',
      value: '',
      original: [document(blob('d', { media_type: 'application/pdf', bytes, ...(pages === undefined ? {} : { pages }) }))],
    });

  it('is what the model sees, and never more than is taken among many', () => {
    expect(roomFor(images(1), profileFor('claude-haiku-4-5')).box).toEqual({ pixelsPerSide: 1_568, patches: 1_568, base64Bytes: 10 * 1024 * 1024 });
    expect(roomFor(images(1), profileFor('claude-opus-5-5')).box).toMatchObject({ pixelsPerSide: 2_000, patches: 4_784 });
    expect(roomFor(images(1), profileFor('anthropic.claude-opus-5')).box.base64Bytes).toBe(5 * 1024 * 1024);
  });

  it('is shared by the images of a prompt', () => {
    const profile = profileFor('claude-haiku-4-5');
    const share = roomFor(images(3), { ...profile, maxBodyBytes: 4 * profile.contextWindow + 900 }).box.base64Bytes;
    expect(share).toBe(300);
  });

  it('is not there for documents that no request can hold', () => {
    expect(roomFor(pdf(1_000, 100), profileFor('claude-haiku-4-5')).unfit).toEqual([]);
    expect(roomFor(pdf(1_000, 101), profileFor('claude-haiku-4-5')).unfit).toMatchObject([{ reason: expect.stringContaining('101 pages') }]);
    expect(roomFor(pdf(30_000_000), profileFor('claude-opus-5-5')).unfit).toMatchObject([{ reason: expect.stringContaining('30000000 bytes') }]);
  });

  it('comes with a way back to the original', () => {
    expect(imageNote('[Image #1]', { width: 2_000, height: 1_500, original: { width: 4_000, height: 3_000 } })).toContain('multiply x by 2.000 and y by 2.000');
    expect(imageNote('[Image #1]', { width: 20, height: 10, original: { width: 20, height: 10 } })).toBe('[Image #1]: 20x10 pixels, shown at full size.');
  });
});

describe('a prompt with files, prepared', () => {
  const settings = { permissionMode: 'default' as const };
  const place = { at: 'now', uuid: () => 'fresh' };
  const submission = stored([{ type: 'text', text: 'what is it?' }, base64('AAAA')]);
  const sent: ContentBlock = { type: 'image', source: blob('small') };
  const prompt = {
    submission,
    settings,
    content: 'rewritten',
    files: { blocks: [sent], notes: [{ text: 'a', block: sent }], rejected: null },
    attachments: [],
    expanded: null,
    callsModel: true,
  };

  it('holds the files as they fit, whatever became of the text, and a line for each where only the model looks', () => {
    const { messages } = preparePrompt(prompt, [], place);
    expect(messages).toMatchObject([
      { type: 'user', uuid: 'u', content: [{ type: 'text', text: 'rewritten' }, sent] },
      {
        type: 'user',
        isMeta: true,
        content: [{ type: 'text', text: '<system-reminder>\na\n</system-reminder>' }],
        describes: [{ uuid: 'u', index: 1 }],
      },
    ]);
  });

  it('has the lines after what a command expanded to, if the model is called', () => {
    const expanded = { ...prompt, expanded: [{ type: 'user' as const, uuid: 'u', timestamp: 'now', content: [sent] }] };
    expect(preparePrompt(expanded, [], place).messages).toMatchObject([{ content: [sent] }, { isMeta: true }]);
    expect(preparePrompt({ ...expanded, callsModel: false }, [], place).messages).toHaveLength(1);
  });

  it('that cannot be sent is kept for readers, and fails with what was wrong', () => {
    const rejected = unfitFailure(filesOf(submission).map((file) => ({ file, reason: 'cannot be decoded' })));
    const prepared = preparePrompt({ ...prompt, files: { blocks: [], notes: [], rejected } }, [], place);
    expect(prepared).toMatchObject({
      callsModel: false,
      failure: { code: 'image_rejected', message: expect.stringContaining('image 1 of the prompt cannot be decoded') },
      messages: [
        {
          type: 'user',
          uuid: 'u',
          isVirtual: true,
          content: [
            { type: 'text', text: 'what is it?' },
            { type: 'image', source: blob('0') },
          ],
        },
        { type: 'system', subtype: 'image_rejected', level: 'error', content: rejected.message },
      ],
    });
  });
});
