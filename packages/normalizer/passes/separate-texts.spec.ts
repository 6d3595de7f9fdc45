import { expect, it } from '@jest/globals';
import { conversation, type Entry, runPass, text, turn, user } from '../../../test/support/normalize/build.js';
import { expectTurns } from '../../../test/support/normalize/pass-spec.js';
import type { Pass } from '../pass.js';
import { separateTexts } from './separate-texts.js';
import { mergeUsers } from './merge-users.js';

const U = (...blocks: readonly object[]) => turn('user', ...blocks);

const joined: Pass = { ...separateTexts, apply: (messages, context) => separateTexts.apply(mergeUsers.apply(messages, context), context) };

it('keeps the texts of one message', () => {
  expectTurns(separateTexts, [user([text('2+2'), text('one message')])], [U(text('2+2'), text('one message'))], []);
});

it('separates texts of different messages, and does not change a text that was sent', () => {
  const blocks = (...entries: readonly Entry[]) => runPass(joined, conversation(...entries)).messages[0]?.blocks;
  const [two, three, four] = [user('2+2'), user('3+3\n'), user('4+4')];
  expect(blocks(two)).toEqual([text('2+2')]);
  expect(blocks(two, three)).toEqual([text('2+2'), text('\n3+3\n')]);
  expect(blocks(two, three, four)).toEqual([text('2+2'), text('\n3+3\n'), text('4+4')]);
});
