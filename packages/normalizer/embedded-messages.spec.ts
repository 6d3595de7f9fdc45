import { describe, expect, it } from '@jest/globals';
import { assistant, attachment, call, conversation, type Entry, result, text, user, view } from '../../test/support/normalize/build.js';
import { png } from '../../test/support/api-rules/row.js';
import { MissingBlob } from '../protocol/message/block-sources.js';
import { blobsIn, EmbeddedMessages, withBytes } from './embedded-messages.js';

const picture = (sha256: string): object => ({ type: 'image', source: { type: 'blob', media_type: 'image/png', sha256, bytes: 30, width: 9, height: 9 } });
const texts = new Map([
  ['a', png(9, 9)],
  ['b', png(8, 8)],
]);
const base64Of = (sha256: string): string | undefined => texts.get(sha256);

const TALK: readonly Entry[] = [
  user([text('look'), picture('a')]),
  assistant('m1', [text('seen'), call('t1')]),
  user([result('t1', [text('also'), picture('b')])]),
  user('nothing here'),
  attachment('queued_command', { prompt: [text('and'), picture('a')] }),
];

describe('messages that name their bytes', () => {
  it('say which, wherever they are', () => {
    expect(conversation(...TALK).map((message) => blobsIn(message).map(({ sha256 }) => sha256))).toEqual([['a'], [], ['b'], [], ['a']]);
  });

  it('get them, and are the same objects from request to request', () => {
    const messages = conversation(...TALK);
    const embedded = new EmbeddedMessages();
    expect(embedded.missing(messages)).toEqual(['a', 'b']);
    embedded.add(messages, base64Of);
    expect(embedded.missing(messages)).toEqual([]);
    const made = embedded.of(messages);
    expect(JSON.stringify(made)).not.toContain('"blob"');
    expect(made[1]).toBe(messages[1]);
    expect(made[3]).toBe(messages[3]);
    expect(embedded.of([...messages])[0]).toBe(made[0]);
    expect(embedded.characters).toBe(2 * png(9, 9).length + png(8, 8).length);
    expect(view(made).payload.messages[0]?.content[1]).toMatchObject({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png(9, 9) } });
  });

  it('change nothing where there are none', () => {
    const messages = conversation(user('a'), assistant('m', [text('b')]));
    const embedded = new EmbeddedMessages();
    embedded.add(messages, base64Of);
    expect(embedded.of(messages)).toBe(messages);
  });

  it('are left alone when only readers see them', () => {
    const messages = conversation(user([picture('gone')], { isVirtual: true }), user('go on'));
    expect(new EmbeddedMessages().missing(messages)).toEqual([]);
    expect(view(messages).payload.messages).toHaveLength(1);
  });

  it('fail when their bytes are missing or were released', () => {
    const [message] = conversation(user([picture('gone')]));
    expect(() => withBytes(message!, base64Of)).toThrow(MissingBlob);
    expect(() => view([message!])).toThrow('validate-media');
  });
});
