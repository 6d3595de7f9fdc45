import { expect, it } from '@jest/globals';
import { assistant, contextOf, conversation, runPass, text, thinking, turn, user, uuidAt } from '../../../test/support/normalize/build.js';
import { MessageSerializer } from '../message-serializer.js';
import type { PassContext } from '../pass.js';
import { dropUnattributedThinking } from './drop-unattributed-thinking.js';

const messages = conversation(user('p'), assistant('m', [thinking('t'), text('a')]), user('q'));
const prefix = { system: 'other', tools: 'other', messages: 'other' };
const context = (model: string, known: readonly string[]): PassContext => ({
  ...contextOf({ model }),
  signatures: {
    current: { system: 's', tools: 't' },
    serializer: new MessageSerializer((value) => value),
    prefixes: Object.fromEntries(known.map((uuid) => [uuid, prefix])),
  },
});

it('drops thinking of an answer that no request of the session has made, with that as the reason', () => {
  const ran = runPass(dropUnattributedThinking, messages, context('claude-fable-5-1', []));
  expect(ran.messages[1]).toEqual(turn('assistant', text('a')));
  expect(ran).toMatchObject({ isIdempotent: true, trace: [['dropped', '1.0', null]] });
  expect(dropUnattributedThinking.reason).toContain('imported');
});

it('keeps other thinking, whatever preceded it, and all thinking where signatures are not bound or not checked', () => {
  expect(runPass(dropUnattributedThinking, messages, context('claude-fable-5-1', [uuidAt(1)])).isSame).toBe(true);
  expect(runPass(dropUnattributedThinking, messages, context('claude-opus-4-5', [])).isSame).toBe(true);
  expect(runPass(dropUnattributedThinking, messages, contextOf({ model: 'claude-fable-5-1' })).isSame).toBe(true);
});
