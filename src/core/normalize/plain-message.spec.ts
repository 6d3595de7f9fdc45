import { describe, expect, it } from '@jest/globals';
import { text, uuidAt } from '../../../test/support/normalize/build.js';
import { DomainError } from '../errors.js';
import { readMessages } from './plain-message.js';

function faultsOf(input: unknown): readonly string[] {
  try {
    readMessages(input);
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ code: 'invalid_input' });
    return (error as DomainError).faults.map(({ pointer }) => pointer);
  }
  return [];
}

describe('reading messages', () => {
  it('takes plain messages of the model API, and makes what they lack from their position', () => {
    const input = [
      { role: 'user', content: 'p', extra: 1 },
      { role: 'assistant', content: 'a' },
      { role: 'user', content: [text('q')] },
    ];
    const [first, second, third] = readMessages(input);
    expect(first).toEqual({
      type: 'user',
      uuid: '00000000-0000-8000-8000-000000000000',
      parentUuid: null,
      timestamp: '1970-01-01T00:00:00.000Z',
      content: 'p',
    });
    expect(second).toMatchObject({ type: 'assistant', parentUuid: first?.uuid, message: { id: 'msg_00000001', content: [text('a')] } });
    expect(third).toMatchObject({ parentUuid: second?.uuid, timestamp: '1970-01-01T00:00:02.000Z' });
    expect(readMessages(input)).toEqual([first, second, third]);
  });

  it('takes entries of a transcript as they are', () => {
    const place = { uuid: uuidAt(7), parentUuid: null, timestamp: '2000-01-01T00:00:00.000Z' };
    const entries = [
      { ...place, type: 'user', content: 'p', isMeta: true, permissionMode: 'plan' },
      {
        type: 'assistant',
        message: { id: 'msg_1', role: 'assistant', model: 'x', content: [], stop_reason: null, usage: { input_tokens: 1 } },
        isApiErrorMessage: true,
        apiError: 'pdf_invalid',
      },
      { type: 'attachment', attachment: { type: 'diff', content: 'x' } },
      { type: 'system', subtype: 'local_command', level: 'info', content: 'ls: a' },
      { type: 'tombstone', removed: ['u'] },
      { type: 'progress', toolUseId: 't', data: 1 },
      { type: 'tool_use_summary', summary: 'Read 3 files' },
    ];
    readMessages(entries).forEach((message, index) => expect(message).toMatchObject(entries[index] as object));
  });

  it('says where and why an entry cannot be read', () => {
    expect(faultsOf('none')).toEqual(['/messages']);
    expect(faultsOf([7, { role: 'tool' }, { role: 'user' }, { role: 'user', content: [{}] }])).toEqual([
      '/messages/0',
      '/messages/1/type',
      '/messages/2/content',
      '/messages/3/content',
    ]);
    expect(faultsOf([{ type: 'assistant', message: { content: 7 } }, { type: 'attachment' }])).toEqual([
      '/messages/0/message/content',
      '/messages/1/attachment',
    ]);
    expect(faultsOf([{ role: 'system', content: 'Be brief.' }])).toEqual(['/messages/0/subtype']);
    expect(
      faultsOf([
        { role: 'user', content: 'p', uuid: 'u' },
        { role: 'user', content: 'q', uuid: 'u' },
      ]),
    ).toEqual(['/messages/1/uuid']);
  });
});
