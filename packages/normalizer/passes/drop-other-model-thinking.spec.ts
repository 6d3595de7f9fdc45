import { expect, it } from '@jest/globals';
import { assistant, contextOf, conversation, type Entry, runPass, text, thinking, turn } from '../../../test/support/normalize/build.js';
import { expectSame } from '../../../test/support/normalize/pass-spec.js';
import { dropOtherModelThinking } from './drop-other-model-thinking.js';

const by = (model: string): Entry => {
  const entry = assistant('m', [thinking('t'), text('a')]);
  return { ...entry, message: { ...(entry['message'] as object), model } };
};
const context = contextOf({ model: 'claude-fable-5' });

it('drops thinking of another model', () => {
  const ran = runPass(dropOtherModelThinking, conversation(by('claude-haiku-4-5')), context);
  expect(ran.messages).toEqual([turn('assistant', text('a'))]);
  expect(ran).toMatchObject({ isIdempotent: true, trace: [['dropped', '0.0', null]] });
});

it('keeps thinking of the same family, and of an unknown model', () => {
  expectSame(dropOtherModelThinking, [by('claude-fable-5')], context);
  expectSame(dropOtherModelThinking, [by('other')], context);
});
