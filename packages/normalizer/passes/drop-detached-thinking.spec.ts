import { expect, it } from '@jest/globals';
import { assistant, contextOf, conversation, runPass, text, thinking, turn, user, uuidAt } from '../../../test/support/normalize/build.js';
import type { RequestPrefix } from '../../protocol/events/events.js';
import { MessageSerializer } from '../message-serializer.js';
import type { PassContext } from '../pass.js';
import { dropDetachedThinking } from './drop-detached-thinking.js';

const serializer = new MessageSerializer((value) => value);
const answer = assistant('m', [thinking('t'), text('a')]);
const messages = conversation(user('p'), answer, user('q'));
/** The prefix under which the answer of `messages` was made. */
const made = { system: 's', tools: 't', messages: serializer.serialize(0, { role: 'user', content: [text('p')] }).digest };
const context = (then: Partial<RequestPrefix>): PassContext => ({
  ...contextOf({ model: 'claude-fable-5-1' }),
  signatures: { current: { system: 's', tools: 't' }, serializer, prefixes: { [uuidAt(1)]: { ...made, ...then } } },
});

it('keeps thinking when its prefix is sent unchanged', () => {
  expect(runPass(dropDetachedThinking, messages, context({})).isSame).toBe(true);
});

it.each<[string, Partial<RequestPrefix>]>([
  ['under another system prompt', { system: 'other' }],
  ['with other tools', { tools: 'other' }],
  ['after other messages', { messages: 'other' }],
])('drops thinking made %s', (_what, then) => {
  const ran = runPass(dropDetachedThinking, messages, context(then));
  expect(ran.messages[1]).toEqual(turn('assistant', text('a')));
  expect(ran).toMatchObject({ isIdempotent: true, trace: [['dropped', '1.0', null]] });
});
