import { describe, expect, it } from '@jest/globals';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { type TranscriptPart, TranscriptParts } from './transcript-parts.js';

const place = { parentUuid: null, timestamp: '2026-01-01T00:00:00.000Z' };
const user = (uuid: string, words: string): StoredMessage => ({ type: 'user', uuid, ...place, content: words });
const answer = { type: 'assistant', uuid: 'a', ...place, message: { id: 'm', role: 'assistant', model: 'x', content: [] } } as unknown as StoredMessage;

function partsOf(messages: readonly StoredMessage[]): readonly TranscriptPart[] {
  const parts = new TranscriptParts();
  return messages.flatMap((message) => [...parts.of(message)]);
}
const joined = (messages: readonly StoredMessage[]): readonly string[] => partsOf(messages).map(({ uuids }) => uuids.join(' '));

describe('what a request may have of a transcript', () => {
  it('is each message, and following messages of the user as one, up to the answer before', () => {
    expect(joined([user('1', 'x'), user('2', 'y'), user('3', 'z'), answer, user('4', 'w')])).toEqual(['1', '2', '1 2', '3', '2 3', '1 2 3', 'a', '4']);
  });

  it('is an answer also without the members of its calls that requests do not have', () => {
    const call = { type: 'tool_use', id: 't', name: 'Bash', input: { caller: 1 } };
    const called = { ...answer, message: { content: [{ ...call, caller: { type: 'direct' } }] } } as unknown as StoredMessage;
    expect(partsOf([called]).map(({ message }) => message['content'])).toEqual([[{ ...call, caller: { type: 'direct' } }], [call]]);
  });

  it('is an attachment as the model saw it, by its role and as a message of the user', () => {
    const seen = { type: 'attachment', uuid: 'e', ...place, attachment: { type: 'environment' }, rendered: [{ content: 'Linux' }], renderedRole: 'system' };
    const [part, reminded] = partsOf([seen as unknown as StoredMessage]);
    expect(part).toEqual({ message: { role: 'system', content: 'Linux' }, uuids: ['e'] });
    expect(reminded!.message).toMatchObject({ role: 'user', content: [{ type: 'text', text: expect.stringContaining('Linux') }] });
  });

  it('costs what its messages cost a few times, however long they are and however many follow', () => {
    const cost = (count: number, characters: number): number => {
      const messages = Array.from({ length: count }, (_, index) => user(String(index), 'x'.repeat(characters)));
      return partsOf(messages).reduce((sum, { message }) => sum + JSON.stringify(message).length, 0) / (count * characters);
    };
    expect(cost(100, 1_000)).toBeLessThan(150);
    expect(cost(40, 300_000)).toBeLessThan(20);
    expect(cost(6, 5_000_000)).toBeLessThan(2);
    expect(joined([user('1', 'x'.repeat(300_000)), user('2', 'y'.repeat(300_000)), user('3', 'z')])).toEqual(['1', '2', '1 2', '3', '2 3', '1 2 3']);
  });
});
