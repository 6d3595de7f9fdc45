import { expect, it } from '@jest/globals';
import { assistant, call, conversation, runPass, text, turn, user } from '../../../test/support/normalize/build.js';
import { expectSame } from '../../../test/support/normalize/pass-spec.js';
import type { Pass } from '../pass.js';
import { dropBlankText } from './drop-blank-text.js';
import { dropBlankAssistants } from './drop-blank-assistants.js';

const p = user('p');
const q = user('q');
const U = (...blocks: readonly object[]) => turn('user', ...blocks);

it('drops an answer of which nothing can be sent and merges the turns around it', () => {
  const blank: Pass = { ...dropBlankAssistants, apply: (messages, context) => dropBlankAssistants.apply(dropBlankText.apply(messages, context), context) };
  expect(runPass(blank, conversation(p, assistant('m', [text(' ')]), q)).messages).toEqual([U(text('p'), text('q'))]);
});

it('leaves an answer that was stored empty to the pass that fills it', () => {
  expect(runPass(dropBlankAssistants, conversation(p, assistant('m', []), q))).toMatchObject({ isSame: true });
});

it('keeps an answer with a call alone', () => {
  expectSame(dropBlankAssistants, [p, assistant('m', [call('x')]), q]);
});
