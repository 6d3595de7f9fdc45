import { describe, expect, it } from '@jest/globals';
import { call, ClaudeFile, text, thinking } from '../../../test/support/claude-file.js';
import { planned } from '../../../test/support/planned-import.js';

const one = (): ClaudeFile => new ClaudeFile().user('u1', null, 'first');
const answer = (file: ClaudeFile): Record<string, unknown> => planned(file.text).path[1] as unknown as Record<string, unknown>;

describe('an answer of several lines', () => {
  it('keeps the members of every line', () => {
    const file = one()
      .piece('a1', 'u1', 'm', thinking('hm'), { apiBlockIndex: 0, effort: 'high' })
      .piece('a2', 'a1', 'm', text('so'), { apiBlockIndex: 1, effort: 'high', attributionSkill: 'pdf' })
      .piece('a3', 'a2', 'm', call('t1'), { apiBlockIndex: 2, effort: 'high', isAbortedMidStream: true, stop: 'tool_use' });
    const message = answer(file);
    expect(message).toMatchObject({ effort: 'high', attributionSkill: 'pdf', isAbortedMidStream: true, apiBlockIndex: 2 });
    expect(message['fragments']).toEqual([
      { apiBlockIndex: 0, message: { stop_reason: null } },
      { uuid: ClaudeFile.uuid('a2'), timestamp: '2026-01-01T00:00:02.000Z', apiBlockIndex: 1, message: { stop_reason: null } },
      { uuid: ClaudeFile.uuid('a3'), timestamp: '2026-01-01T00:00:03.000Z' },
    ]);
  });

  it('keeps the members of every API message', () => {
    const lines = one()
      .piece('a1', 'u1', 'm', text('a'))
      .piece('a2', 'a1', 'm', text('b'))
      .lines.map((line) => JSON.parse(line) as { message: Record<string, unknown> });
    lines[1]!.message['diagnostics'] = { cache_miss_reason: { type: 'unavailable' } };
    lines[2]!.message['context_management'] = { applied_edits: [] };
    lines[2]!.message['usage'] = { output_tokens: 9 };
    const file = new ClaudeFile();
    for (const line of lines) file.raw(JSON.stringify(line));
    expect(answer(file)).toMatchObject({
      message: { diagnostics: { cache_miss_reason: { type: 'unavailable' } }, context_management: { applied_edits: [] }, usage: { output_tokens: 9 } },
      fragments: [{ message: { usage: { input_tokens: 3, output_tokens: 1 } } }, {}],
    });
  });

  it('of one line has no fragments', () => {
    expect(answer(one().piece('a1', 'u1', 'm', text('a')))).not.toHaveProperty('fragments');
  });
});

describe('tool inputs', () => {
  it('are those that the model wrote; the effective ones are kept', () => {
    const file = one()
      .piece('a1', 'u1', 'm', call('t1'), { wireToolInputs: { t1: { command: 'as written' } } })
      .piece('a2', 'a1', 'm', call('t2'), { wireToolInputs: { t2: { command: 'second' }, other: { x: 1 } } })
      .piece('a3', 'a2', 'm', call('t3'));
    const message = answer(file);
    expect(message).toMatchObject({
      message: { content: [{ input: { command: 'as written' } }, { input: { command: 'second' } }, { input: { command: 'echo t3' } }] },
      effectiveInputs: { t1: { command: 'echo t1' }, t2: { command: 'echo t2' } },
    });
  });

  it('may be a list; one that is not understood is kept', () => {
    const list = [{ id: 't1', input: { command: 'as written' } }];
    expect(answer(one().piece('a1', 'u1', 'm', call('t1'), { wireToolInputs: list }))).toMatchObject({
      message: { content: [{ input: { command: 'as written' } }] },
      effectiveInputs: { t1: { command: 'echo t1' } },
    });
    expect(answer(one().piece('a1', 'u1', 'm', call('t1'), { wireToolInputs: [{ at: 1 }] }))).toMatchObject({ wireToolInputs: [{ at: 1 }] });
  });

  it.each([['a string'], [null], [{ t1: 'text' }], [{ t1: null }], [[]]])('stay as they are when wireToolInputs is %j', (wireToolInputs) => {
    const message = answer(one().piece('a1', 'u1', 'm', call('t1'), { wireToolInputs }));
    expect(message).toMatchObject({ message: { content: [{ input: { command: 'echo t1' } }] } });
    expect(message).not.toHaveProperty('effectiveInputs');
  });
});

describe('an API error', () => {
  it.each([
    ['PDF too large (max 100 pages, 32 MB). Try splitting it or extracting text first.', 'pdf_too_large'],
    ['PDF too large. Please double press esc to edit your message and try again.', 'pdf_too_large'],
    ['PDF is password protected. Please double press esc to edit your message and try again.', 'pdf_password_protected'],
    ['The PDF file was not valid. Try converting to a different format first.', 'pdf_invalid'],
    ['Image was too large. Double press esc to go back and try again with a smaller image.', 'image_too_large'],
    ['Request too large (max 30 MB). Double press esc to go back and remove or shrink the attached content.', 'request_too_large'],
    ['API Error: 400 {"error":{"message":"messages.0.content.1.image: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes"}}', 'image_too_large'],
    ['API Error: 413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}', 'request_too_large'],
  ])('%s is imported as apiError', (words, apiError) => {
    const error = { model: '<synthetic>', isApiErrorMessage: true };
    expect(answer(one().piece('a1', 'u1', 'x', text(words), error))).toMatchObject({ isApiErrorMessage: true, apiError });
    expect(answer(one().piece('a1', 'u1', 'x', text(words)))).not.toHaveProperty('apiError');
  });

  it('of another kind has no apiError', () => {
    const error = { model: '<synthetic>', isApiErrorMessage: true };
    for (const words of ['API Error: 529 Overloaded', 'Not a PDF too large', ''])
      expect(answer(one().piece('a1', 'u1', 'x', text(words), error))).not.toHaveProperty('apiError');
  });

  it('excludes the rejected file from later requests', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
    const file = new ClaudeFile().user('u1', null, [image, text('look')]);
    file.piece('a1', 'u1', 'x', text('Image was too large.'), { model: '<synthetic>', isApiErrorMessage: true }).user('u2', 'a1', 'next');
    expect(planned(file.text).path[1]).toMatchObject({ apiError: 'image_too_large' });
  });
});
