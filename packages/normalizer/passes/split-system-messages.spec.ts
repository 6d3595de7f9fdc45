import { describe, expect, it } from '@jest/globals';
import { assistant, attachment, call, conversation, type Entry, image, result, text, user, view } from '../../../test/support/normalize/build.js';
import { reminder } from '../../protocol/message/wire-texts.js';

const [TAKES, TAKES_NOT] = ['claude-opus-5', 'claude-sonnet-5'];
const instruction = (content = 'Answer in verse.'): Entry => attachment('system_message', { content });
const sent = (model: string | undefined, ...entries: readonly Entry[]) => {
  const { payload, trace } = view(conversation(...entries), { model: model!, cacheMarkers: false });
  return {
    messages: payload.messages,
    notes: trace.filter(({ action }) => action !== 'kept').map(({ pass, action, target }) => [pass, action, target] as const),
  };
};

describe('what the operator says in the middle of a conversation', () => {
  it('follows the turn of the user as a message of the role system, after all that belongs to the prompt', () => {
    const { messages } = sent(TAKES, user('hello'), instruction(), attachment('opened_file', { filename: 'a.ts' }), assistant('m', [text('hi')]), user('next'));
    expect(messages.map(({ role }) => role)).toEqual(['user', 'system', 'assistant', 'user']);
    expect(messages[1]).toEqual({ role: 'system', content: [text('Answer in verse.')] });
    expect(JSON.stringify(messages[0]).indexOf('a.ts')).toBeGreaterThan(0);
    expect(messages[0]!.content.at(-1)).toMatchObject({ text: expect.stringContaining('hello') });
  });

  it('is a reminder for a model that does not take the role', () => {
    const { messages } = sent(TAKES_NOT, user('hello'), instruction());
    expect(messages).toEqual([{ role: 'user', content: [text('hello'), text(`\n${reminder('Answer in verse.')}`)] }]);
  });

  it('stands after the results of calls, never between a call and its result', () => {
    const { messages } = sent(TAKES, user('hello'), assistant('m', [call('a')]), instruction(), user([result('a', 'done')], { isMeta: true }));
    expect(messages.map(({ role, content }) => [role, content.map(({ type }) => type)])).toEqual([
      ['user', ['text']],
      ['assistant', ['tool_use']],
      ['user', ['tool_result']],
      ['system', ['text']],
    ]);
  });

  it('stays with the user, as a reminder, where the turn has nothing else', () => {
    const { messages } = sent(TAKES, instruction(), assistant('m', [text('hi')]), user('next'));
    expect(messages[0]).toEqual({ role: 'user', content: [text(reminder('Answer in verse.'))] });
  });

  it('is one message of several parts when several were said, and an image of another program stays with the user', () => {
    const other: Entry = { ...attachment('other'), rendered: [{ content: [text('Look.'), image()] }], renderedRole: 'system' };
    const { messages } = sent(TAKES, user('hello'), instruction(), other);
    expect(messages.map(({ role, content }) => [role, content.map(({ type }) => type)])).toEqual([
      ['user', ['text', 'image']],
      ['system', ['text', 'text']],
    ]);
    expect(messages[1]!.content[1]).toEqual(text('\nLook.'));
  });

  it('is in the trace where it moved across what came after it', () => {
    const { notes } = sent(TAKES, user('hello'), instruction(), user('and this'));
    expect(notes.some(([pass, action]) => pass === 'split-system-messages' && action === 'moved')).toBe(true);
  });
});
