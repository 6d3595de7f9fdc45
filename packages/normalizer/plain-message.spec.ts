import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { text, uuidAt, view } from '../../test/support/normalize/build.js';
import { runs } from '../../test/support/property-runs.js';
import { DomainError, type FieldError } from '../protocol/errors.js';
import type { Message } from '../protocol/message/message.js';
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
      '/messages/1/tool_call_id',
      '/messages/2/content',
      '/messages/3/content',
    ]);
    expect(faultsOf([{ type: 'assistant', message: { content: 7 } }, { type: 'attachment' }])).toEqual([
      '/messages/0/message/content',
      '/messages/1/attachment',
    ]);
    expect(
      faultsOf([
        { role: 'function', content: 'x' },
        { role: 'system', content: 7 },
        { role: 'assistant', tool_calls: [{ id: 'c' }] },
      ]),
    ).toEqual(['/messages/0/type', '/messages/1/content', '/messages/2/tool_calls']);
    expect(
      faultsOf([
        { role: 'user', content: 'p', uuid: 'u' },
        { role: 'user', content: 'q', uuid: 'u' },
      ]),
    ).toEqual(['/messages/1/uuid']);
  });
});

const read = (...input: readonly object[]): { readonly messages: readonly Message[]; readonly notes: readonly string[] } => {
  const notes: FieldError[] = [];
  return { messages: readMessages(input, notes), notes: notes.map(({ pointer }) => pointer) };
};
const sent = (...input: readonly object[]): readonly unknown[] => view(readMessages(input), { cacheMarkers: false }).payload.messages;
const texts = (messages: readonly unknown[]): string => JSON.stringify(messages);

describe('messages of the system role', () => {
  const before = { role: 'user', content: 'first' };

  it('are sent in their role to a model that takes it, to another as reminders in the place where they stand', () => {
    const { notes } = read(before, { role: 'system', content: 'Be brief.' });
    expect(notes).toEqual(['/messages/1/role']);
    const messages = sent(before, { role: 'system', content: [text('Be brief.')] }, { role: 'assistant', content: 'ok' }, { role: 'user', content: 'next' });
    expect(messages.slice(0, 2)).toEqual([
      { role: 'user', content: [text('first')] },
      { role: 'system', content: [text('Be brief.')] },
    ]);
    const other = view(readMessages([before, { role: 'system', content: 'Be brief.' }]), { cacheMarkers: false, model: 'claude-sonnet-5' }).payload.messages;
    expect(texts(other)).toMatch(/first.*<system-reminder>\\nBe brief\.\\n<\/system-reminder>/s);
    expect(texts(sent({ role: 'developer', content: 'Be kind.' }, before))).toContain('Be kind.');
  });

  it('tell of tools that come and go', () => {
    const change = (type: string, tool: object): object => ({ role: 'system', content: [{ type, tool }] });
    expect(texts(sent(before, change('tool_addition', { type: 'tool_reference', name: 'lookup' })))).toContain('The tool lookup is available from here on.');
    expect(texts(sent(before, change('tool_addition', { type: 'tool_definition', definition: { name: 'add' } })))).toContain('The tool add is available');
    expect(texts(sent(before, change('tool_removal', { type: 'tool_reference', name: 'lookup' })))).toContain('is not available any more');
    expect(read(before, change('tool_addition', {})).notes).toEqual(['/messages/1/content/0', '/messages/1/role']);
  });

  it('are left out where a later message of the user has cleared them, and what they set for the output is named', () => {
    const cleared = { role: 'system', content: 'only now', clear_at: 'next_user_message' };
    expect(texts(sent(before, cleared))).toContain('only now');
    expect(
      texts(sent(before, cleared, { role: 'assistant', content: 'ok' }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't' }] })),
    ).toContain('only now');
    const later = [before, cleared, { role: 'assistant', content: 'ok' }, { role: 'user', content: 'next' }];
    expect(texts(sent(...later))).not.toContain('only now');
    expect(read(...later).notes).toContain('/messages/1/clear_at');
    expect(read(before, { role: 'system', output_config: { effort: 'low' } }).notes).toContain('/messages/1/output_config');
  });
});

describe('calls and results of the Chat Completions API', () => {
  const call = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: '{"b":1.0,"a":9007199254740993}' } }],
  };

  it('are sent as those of the model API, with the arguments as they were written', () => {
    const input = [{ role: 'user', content: 'q' }, call, { role: 'tool', tool_call_id: 'c1', content: 'found' }];
    const { body, payload } = view(readMessages(input), { cacheMarkers: false });
    expect(payload.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'lookup' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'found' }] },
    ]);
    expect(body).toContain('"input":{"b":1.0,"a":9007199254740993}');
    expect(read(...input).notes).toEqual(['/messages/1/tool_calls', '/messages/2/role']);
  });

  it('with arguments that are no object are named', () => {
    const broken = { ...call, tool_calls: [{ id: 'c1', function: { name: 'lookup', arguments: '{"a":' } }] };
    expect(read(broken).notes).toEqual(['/messages/0/tool_calls/0/function/arguments', '/messages/0/tool_calls']);
    expect(read(broken).messages[0]).toMatchObject({ message: { content: [{ input: {} }] } });
  });
});

describe('every member of a message', () => {
  it('is read or named', () => {
    const member = fc.constantFrom('name', 'refusal', 'audio', 'function_call', 'annotations', 'reasoning_content', 'a/b', 'constructor');
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant', 'system', 'developer'),
      content: fc.constant('x'),
      extra: fc.dictionary(member, fc.constant('y')),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), (given) => {
        const { notes } = read(...given.map(({ extra, ...rest }) => ({ ...extra, ...rest })));
        const wanted = given.flatMap(({ extra }, index) => Object.keys(extra).map((name) => `/messages/${index}/${name.replaceAll('/', '~1')}`));
        expect(notes).toEqual(expect.arrayContaining(wanted));
      }),
      runs(300),
    );
  });
});
