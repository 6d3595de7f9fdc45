import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { Content } from '../../../packages/protocol/message/content.js';
import { acceptSubmission, type ClientSubmission } from './accept.js';
import { expandPastedTexts, namedImages } from './paste-references.js';
import type { PastedContent, Submission } from '../../../packages/protocol/message/submission.js';

const text = (content: string): PastedContent => ({ type: 'text', content });
const image: PastedContent = { type: 'image', content: 'AAAA' };
const IDS = { promptId: 'p', turnId: 't', uuid: 'u' };
const accept = (input: Content, more: Partial<ClientSubmission> = {}, maxCharacters = 1_000): Submission =>
  acceptSubmission({ mode: 'prompt', input, ...more }, IDS, { maxCharacters });

function rejection(work: () => unknown): DomainError {
  try {
    work();
  } catch (error) {
    return error as DomainError;
  }
  throw new Error('nothing was rejected');
}

describe('pasted texts', () => {
  it.each([
    ['see [Pasted text #1]', { '1': text('A') }, 'see A'],
    ['[Pasted text #1 +12 lines] and [Pasted text #2]', { '1': text('A'), '2': text('B') }, 'A and B'],
    ['twice [Pasted text #1][Pasted text #1]', { '1': text('A') }, 'twice AA'],
    ['unknown [Pasted text #7]', { '1': text('A') }, 'unknown [Pasted text #7]'],
    ['no second round [Pasted text #1]', { '1': text('[Pasted text #2]'), '2': text('B') }, 'no second round [Pasted text #2]'],
    ['dollars [Pasted text #1]', { '1': text('$& $1 $$') }, 'dollars $& $1 $$'],
    ['an image is no text [Pasted text #1]', { '1': image }, 'an image is no text [Pasted text #1]'],
    ['[Pasted text #constructor] [Pasted text #01]', { '1': text('A') }, '[Pasted text #constructor] A'],
  ])('%s', (typed, pasted, expected) => {
    expect(expandPastedTexts(typed, pasted as Record<string, PastedContent>)).toBe(expected);
  });

  it('leaves text without references alone, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (typed) => {
        fc.pre(!typed.includes('[Pasted text #'));
        expect(expandPastedTexts(typed, { '1': text('A') })).toBe(typed);
      }),
    );
  });

  it('counts an image as long as its reference stands', () => {
    expect(namedImages('look [Image #2] here', { '1': image, '2': image })).toEqual(['2']);
    expect(namedImages('gone', { '1': image })).toEqual([]);
  });
});

describe('accepting', () => {
  it('trims what is sent and keeps what was typed', () => {
    expect(accept('  hello\n')).toMatchObject({ value: 'hello', original: '  hello\n', ...IDS });
  });

  it('expands inside blocks and keeps their other members', () => {
    const input = [{ type: 'text', text: 'a [Pasted text #1]', citations: null }] as const;
    expect(accept(input, { pastedContents: { '1': text('B') } }).value).toEqual([{ type: 'text', text: 'a B', citations: null }]);
  });

  it('takes a prompt of nothing but a file, and lets no image of a paste into the log as it came', () => {
    expect(accept('[Image #1]', { pastedContents: { '1': image } })).toMatchObject({ value: '[Image #1]', original: '[Image #1]' });
    expect(accept('[Image #1]', { pastedContents: { '1': image, '2': text('B') } }).pastedContents).toEqual({ '2': text('B') });
    expect(accept([{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }]).value).toEqual([]);
  });

  it('takes no files to a command line', () => {
    expect(rejection(() => accept('ls [Image #1]', { mode: 'bash', pastedContents: { '1': image } })).code).toBe('unsupported_input');
  });

  it('rejects a text that would be too long before it is built', () => {
    const typed = '[Pasted text #1]'.repeat(10_000);
    const started = accept(typed, {}, 1_000_000);
    expect(started.value).toBe(typed);
    expect(rejection(() => accept(typed, { pastedContents: { '1': text('x'.repeat(1_000_000)) } }, 4_000_000))).toMatchObject({
      code: 'payload_too_large',
      message: expect.stringContaining('10000000000'),
    });
  });

  it.each([
    ['', 'empty_input'],
    [' \n\t ', 'empty_input'],
    [[], 'empty_input'],
    [[{ type: 'text', text: ' ' }], 'empty_input'],
    ['x'.repeat(1_001), 'payload_too_large'],
  ] as const)('rejects %j', (input, code) => {
    expect(rejection(() => accept(input)).code).toBe(code);
  });

  it('counts pasted texts towards the limit', () => {
    expect(rejection(() => accept('[Pasted text #1]', { pastedContents: { '1': text('x'.repeat(1_001)) } })).code).toBe('payload_too_large');
  });
});
